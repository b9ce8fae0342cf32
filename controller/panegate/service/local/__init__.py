"""The standalone controller's messages, table of methods, server and client."""
