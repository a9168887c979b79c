package io.redelay.lock;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A call that was not made because its lock was not acquired.
 *
 * @param target the object
 * @param method its method
 * @param arguments the arguments
 * @param exception names the lock
 * @since 0.1.0
 */
public record LockFailure(@Nullable Object target, Method method, List<@Nullable Object> arguments,
		LockNotAcquiredException exception) {

}
