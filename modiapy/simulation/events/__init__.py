"""What happens at one instant until nothing changes, and how often that happens."""
