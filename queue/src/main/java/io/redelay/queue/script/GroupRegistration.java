package io.redelay.queue.script;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.message.DeclaredFilter;
import org.jspecify.annotations.Nullable;

/**
 * The result of the registration of a group.
 *
 * @param added whether the group was not registered before
 * @param filter the filter that the group has now
 * @param replaced the filter that it replaced, or {@code null} if both are the same, or
 * the group is new
 * @since 0.1.0
 */
public record GroupRegistration(boolean added, DeclaredFilter filter, @Nullable GroupFilter replaced) {
}
