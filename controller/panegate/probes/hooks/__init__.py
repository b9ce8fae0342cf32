"""What programs report by their hooks; see README.md of `probes`."""
