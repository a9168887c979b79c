package io.redelay.lock.annotation;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A method call for which the name of a lock is computed; the root object of the
 * expressions in that name.
 *
 * @param target the object whose method is called
 * @param method the method
 * @param args the arguments
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // lives for one call and is not compared
public record LockCall(@Nullable Object target, Method method, @Nullable Object[] args) {
}
