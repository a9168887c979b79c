package io.redelay.lock;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A method call for which the name of a lock is computed; the root object of the
 * expressions in that name.
 *
 * @since 0.1.0
 */
public final class LockCall {

	private final @Nullable Object target;

	private final Method method;

	private final @Nullable Object[] args;

	public LockCall(@Nullable Object target, Method method, @Nullable Object[] args) {
		this.target = target;
		this.method = method;
		this.args = args;
	}

	public @Nullable Object getTarget() {
		return this.target;
	}

	public Method getMethod() {
		return this.method;
	}

	public @Nullable Object[] getArgs() {
		return this.args;
	}

}
