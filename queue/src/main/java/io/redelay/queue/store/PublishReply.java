package io.redelay.queue.store;

import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What became of a request to publish messages.
 *
 * @param status whether the request was carried out
 * @param time the store's clock when it was
 * @param groups of each group what became of those that were not just added
 * @param refusedBy the group that refused them, or {@code null} if none did
 * @param overdue the message for which all are refused, if its deadline is over when it
 * is due
 * @param fullLine the message for which all are refused, if the line of its ordering key
 * is as long as it may be in that group
 * @since 0.1.0
 */
public record PublishReply(LaneStatus status, Instant time, Map<String, SendReply> groups, @Nullable String refusedBy,
		SendReply.@Nullable Overdue overdue, SendReply.@Nullable FullLine fullLine) {

	/**
	 * The part that concerns some of the messages.
	 */
	PublishReply part(int first, int size) {
		Map<String, SendReply> parts = new LinkedHashMap<>();
		this.groups.forEach((group, reply) -> {
			Map<Integer, SendReply.Fate> fates = new HashMap<>();
			reply.fates().forEach((position, fate) -> {
				if (position >= first && position < first + size) {
					fates.put(position - first, fate);
				}
			});
			parts.put(group, new SendReply(reply.status(), reply.time(), fates, reply.dropped()));
		});
		return new PublishReply(this.status, this.time, parts, this.refusedBy, this.overdue, this.fullLine);
	}

}
