"""Applications of this process: functions of an ASGI application that are called without a socket."""
