package io.redelay.lock;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * The providers of an application, by lock type and by bean name.
 *
 * @since 0.1.0
 */
public final class LockProviders {

	private final Map<MyLockType, LockProvider> types = new EnumMap<>(MyLockType.class);

	private final Map<String, LockProvider> named;

	/**
	 * Creates the table.
	 * @param types the providers of the built-in lock types
	 * @param named the other providers, by the names of their beans
	 */
	public LockProviders(Map<MyLockType, LockProvider> types, Map<String, LockProvider> named) {
		this.types.putAll(types);
		this.named = Map.copyOf(named);
	}

	Set<String> names() {
		return this.named.keySet();
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
