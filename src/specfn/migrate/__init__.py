"""Migration of operations to routes: parameters, groups, bodies, responses and accessors."""
