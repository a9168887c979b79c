package io.redelay.queue.script;

import java.util.List;

import io.redelay.queue.message.PendingMember;

/**
 * Messages of bundles.
 *
 * @param members the messages
 * @param relaying whether the outbox of the asked queue has notes
 * @since 0.1.0
 */
public record PendingMembers(List<PendingMember> members, boolean relaying) {
}
