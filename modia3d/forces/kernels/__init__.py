"""Machine code of the force elements, one file each, and of all together (`evaluate`)."""
