/**
 * A distributed lock, by annotating a method with {@link io.redelay.lock.MyLock @MyLock}
 * or by hand with a {@link io.redelay.lock.LockTemplate}.
 */
@NullMarked
package io.redelay.lock;

import org.jspecify.annotations.NullMarked;
