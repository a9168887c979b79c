package io.redelay.lock.redisson;

import java.time.Instant;
import java.util.List;

import io.redelay.delivery.LockUse;
import org.jspecify.annotations.Nullable;

/**
 * The locks that an instance reports.
 *
 * @param instance its name
 * @param name its display name
 * @param client the id of its Redis client, by which Redis knows the locks that it holds;
 * {@code null} if it does not report that
 * @param at when it reported
 * @param locks the locks that it holds or waits for
 * @since 0.1.0
 */
public record InstanceLocks(String instance, String name, @Nullable String client, Instant at, List<LockUse> locks) {

}
