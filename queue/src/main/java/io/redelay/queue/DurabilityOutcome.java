package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * Which copies of a message existed when its send returned. There may be more by now.
 *
 * @param reached whether these were the copies that its {@link Durability} asks for
 * @param replicas how many replicas had it, in memory or in their append-only files,
 * depending on which was asked for
 * @param appendOnlyFile whether the master had it in its append-only file, on the disk;
 * {@code false} if that was not asked for
 * @param problem the error of Redis if it could not report the copies, such as that it
 * keeps no append-only file; or {@code null}
 * @since 0.1.0
 */
public record DurabilityOutcome(boolean reached, int replicas, boolean appendOnlyFile, @Nullable String problem) {
}
