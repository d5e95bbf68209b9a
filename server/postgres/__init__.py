"""The PostgreSQL server: its processes, and what is done on it. Knows neither accounts nor HTTP."""
