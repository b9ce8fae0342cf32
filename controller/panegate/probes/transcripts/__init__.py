"""The records that programs keep of their own sessions; see README.md of `probes`."""
