package io.redelay.queue.store;

import java.util.List;

/**
 * Messages of bundles.
 *
 * @param members the messages
 * @param relaying whether the outbox of the asked queue has notes
 * @since 0.1.0
 */
public record PendingMembers(List<PendingMember> members, boolean relaying) {
}
