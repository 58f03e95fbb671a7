"""What is seen: poses at a fixed frame rate (`animation`), as meshcat's commands in one HTML file or to a page."""
