package io.redelay.lock;

import java.util.Map;

/**
 * The providers of an application, by lock type and by bean name.
 *
 * @param types the providers of the built-in lock types
 * @param named the other providers, by the names of their beans
 * @since 0.1.0
 */
public record LockProviders(Map<MyLockType, LockProvider> types, Map<String, LockProvider> named) {

	/**
	 * Copies the tables.
	 */
	public LockProviders {
		types = Map.copyOf(types);
		named = Map.copyOf(named);
	}

	LockProvider find(LockSpec spec) {
		String name = spec.provider();
		LockProvider provider = (name != null) ? this.named.get(name) : this.types.get(spec.type());
		if (provider == null) {
			throw new LockException("There is no LockProvider for the lock " + spec.names() + ": "
					+ ((name != null) ? "no bean '" + name + "'" : "none gives a " + spec.type()));
		}
		return provider;
	}

}
