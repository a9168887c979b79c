/**
 * Finds methods with {@link io.redelay.lock.MyLock @MyLock} and runs them through the
 * {@link io.redelay.lock.LockTemplate}.
 */
@NullMarked
package io.redelay.lock.annotation;

import org.jspecify.annotations.NullMarked;
