"""Operations to routes: parameters, groups, bodies, responses and accessors, before any model sees them."""
