package io.redelay.delivery;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lock that a thread of an instance holds, or waits for.
 *
 * @param name the lock's name, without the prefix of its key; shortened to 500 characters
 * @param type its type, or the name of its provider
 * @param held whether it is held, and not waited for
 * @param thread the name of the thread that requested it
 * @param time for how long it has been held or waited for
 * @param queue the queue whose message the thread handles, or {@code null} for none
 * @since 0.1.0
 */
public record LockUse(String name, String type, boolean held, String thread, Duration time, @Nullable String queue) {

}
