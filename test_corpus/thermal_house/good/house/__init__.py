"""Heat flow through a house as a network of rooms."""

from house.fields import Fields, make
from house.heating import House
from house.study import Study

__all__ = ["Fields", "House", "Study", "make"]
