package io.redelay.queue.script;

import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.redelay.queue.request.CopySelection;
import io.redelay.queue.request.LaneReply;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a request to publish messages.
 *
 * @param status whether the request was carried out
 * @param time the store's clock when it was
 * @param groups the groups that got copies, each with the fates of the copies that were
 * not simply added, by the position among its copies
 * @param selections the messages of which a group got copies, for each group whose filter
 * left some out
 * @param refusedBy the group that refused them, or {@code null} if none did
 * @param overdue the message for which all are refused, if its deadline is over when it
 * is due
 * @param fullLine the message for which all are refused, if the line of its ordering key
 * is as long as it may be in that group
 * @since 0.1.0
 */
public record PublishReply(LaneStatus status, Instant time, Map<String, SendReply> groups,
		Map<String, CopySelection> selections, @Nullable String refusedBy, SendReply.@Nullable Overdue overdue,
		SendReply.@Nullable FullLine fullLine) implements LaneReply<PublishReply> {

	/**
	 * Returns the groups of the topic.
	 * @return the groups that got copies, and the groups that left all messages out
	 */
	public Set<String> allGroups() {
		if (this.selections.isEmpty()) {
			return this.groups.keySet();
		}
		Set<String> all = new TreeSet<>(this.groups.keySet());
		all.addAll(this.selections.keySet());
		return all;
	}

	/**
	 * Returns whether a group got a copy of a message.
	 * @param group the group
	 * @param position the position of the message in the request
	 * @return whether it did
	 */
	public boolean isCopied(String group, int position) {
		CopySelection selection = this.selections.get(group);
		return selection == null || selection.contains(position);
	}

	/**
	 * Returns the part of the request that a group got.
	 * @param group the group, which got copies
	 * @param request the request
	 * @return the request with the messages that it got copies of
	 */
	public SendRequest copies(String group, SendRequest request) {
		CopySelection selection = this.selections.get(group);
		return (selection != null) ? selection.of(request) : request;
	}

	/**
	 * Returns the fate of a copy.
	 * @param group the group, which got it
	 * @param position the position of the message in the request
	 * @return its fate, or {@code null} if it was simply added
	 */
	public SendReply.@Nullable Fate fate(String group, int position) {
		SendReply reply = this.groups.get(group);
		CopySelection selection = this.selections.get(group);
		return (reply != null) ? reply.fates().get((selection != null) ? selection.countBefore(position) : position)
				: null;
	}

	@Override
	public boolean isTooMany() {
		return this.status == LaneStatus.FULL || this.status == LaneStatus.OVERDUE;
	}

	@Override
	public PublishReply part(int first, int size) {
		Map<String, SendReply> parts = new LinkedHashMap<>();
		Map<String, CopySelection> selected = this.selections.isEmpty() ? Map.of() : new HashMap<>();
		this.selections.forEach((group, selection) -> {
			CopySelection part = selection.part(first, size);
			if (!part.isComplete()) {
				selected.put(group, part);
			}
		});
		this.groups.forEach((group, reply) -> {
			CopySelection selection = this.selections.get(group);
			int begin = (selection != null) ? selection.countBefore(first) : first;
			int end = (selection != null) ? selection.countBefore(first + size) : first + size;
			if (begin < end) {
				parts.put(group, reply.part(begin, end - begin));
			}
		});
		return new PublishReply(this.status, this.time, parts, selected, this.refusedBy, this.overdue, this.fullLine);
	}

}
