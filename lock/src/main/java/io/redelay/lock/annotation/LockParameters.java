package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;

/**
 * The names that expressions may use for the parameters of a method: the declared names,
 * and {@code p0}, {@code p1}, … and {@code a0}, {@code a1}, …
 */
final class LockParameters {

	private static final DefaultParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();

	private final Map<String, Integer> positions = new HashMap<>();

	private final boolean named;

	/**
	 * Reads the names.
	 * @param method the method that is called
	 * @param annotated the method with the annotation, perhaps of an interface; its names
	 * are preferred
	 */
	LockParameters(Method method, Method annotated) {
		for (int i = 0; i < method.getParameterCount(); i++) {
			this.positions.put("p" + i, i);
			this.positions.put("a" + i, i);
		}
		boolean own = add(method);
		this.named = add(annotated) || own;
	}

	private boolean add(Method method) {
		@Nullable String @Nullable [] names = discoverer.getParameterNames(method);
		if (names == null) {
			return false;
		}
		for (int i = 0; i < names.length; i++) {
			String name = names[i];
			if (name != null) {
				this.positions.put(name, i);
			}
		}
		return true;
	}

	/**
	 * Returns whether the class file contains the declared names.
	 */
	boolean areNamed() {
		return this.named;
	}

	boolean isEmpty() {
		return this.positions.isEmpty();
	}

	@Nullable Integer position(String name) {
		return this.positions.get(name);
	}

	@Override
	public String toString() {
		return this.positions.keySet().stream().sorted().toList().toString();
	}

}
