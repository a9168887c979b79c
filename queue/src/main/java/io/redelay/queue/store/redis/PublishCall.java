package io.redelay.queue.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.redelay.queue.limits.GroupName;
import io.redelay.queue.store.CopySelection;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.LengthLimit;
import io.redelay.queue.store.PublishReply;
import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.SendRequest;
import io.redelay.queue.store.StoredGroup;
import io.redelay.queue.store.StoredTopic;
import io.redelay.queue.store.TopicRetention;
import org.jspecify.annotations.Nullable;

/**
 * The keys, the arguments and the reply of the script that adds messages to the groups of
 * a topic. They are those of a send to each group. The filters of the groups are applied
 * here: the script carries the request out only if the groups and filters are the ones
 * known here. A group that wants none of the messages is only named.
 */
final class PublishCall {

	/**
	 * The places of the key that registers the queue of a send, and of its limit.
	 */
	static final int KNOWN = 4;

	private static final int LIMIT = 4;

	/**
	 * How many arguments a send has at most; behind them are those of the groups that
	 * want some of the messages.
	 */
	private static final int SEND_ARGS = 8;

	/**
	 * In place of the position of the arguments of a group: it wants none of the
	 * messages.
	 */
	private static final String LEFT_OUT = "-";

	private final TopicKeys topic;

	private final StoredTopic known;

	private final SendRequest request;

	private final List<Target> targets = new ArrayList<>();

	private final String wakePrefix;

	PublishCall(TopicKeys topic, StoredTopic known, SendRequest request, Function<String, @Nullable LengthLimit> limits,
			Function<String, QueueKeys> keys, String wakePrefix) {
		this.topic = topic;
		this.known = known;
		this.request = request;
		this.wakePrefix = wakePrefix;
		CopyFilter filter = new CopyFilter(request.messages());
		for (StoredGroup group : known.groups()) {
			String queue = GroupName.of(topic.topic(), group.name());
			LengthLimit limit = limits.apply(queue);
			CopySelection selection = filter.select(group.filter().filter());
			SendRequest copies = (selection == null) ? limited(limit)
					: selection.isEmpty() ? null : selection.of(limited(limit));
			this.targets.add(new Target(group.name(), limit, selection,
					(copies != null) ? new SendCall(keys.apply(queue), copies, wakePrefix) : null));
		}
	}

	private SendRequest limited(@Nullable LengthLimit limit) {
		return new SendRequest(this.request.lane(), this.request.seq(), this.request.renews(), this.request.messages(),
				limit, this.request.holdBack(), this.request.returned(), this.request.handedOver(), null);
	}

	List<Object> keys() {
		List<Object> all = new ArrayList<>(List.of(this.topic.sent(this.request.lane()), this.topic.known(),
				this.topic.groups(), this.topic.log()));
		this.targets.forEach((target) -> all.addAll(target.keys(this.topic.known())));
		return all;
	}

	Object[] args() {
		// The arguments of a send of these messages to a queue without a limit.
		List<Object> args = new ArrayList<>(List.of(send().args()));
		if (args.size() == LIMIT) {
			args.add("");
		}
		args.set(LIMIT, targets());
		for (Target target : this.targets) {
			if (target.hasOwnArgs()) {
				while (args.size() < SEND_ARGS) {
					args.add("");
				}
				args.addAll(target.ownArgs());
			}
		}
		return args.toArray();
	}

	private SendCall send() {
		return new SendCall(this.topic.queue(), limited(null), this.wakePrefix);
	}

	private String targets() {
		TopicRetention kept = this.known.retention();
		StringBuilder text = new StringBuilder(this.known.version()).append(' ')
			.append(ScriptTime.millis(kept.maxAge()))
			.append(' ')
			.append(kept.maxCount())
			.append(' ')
			.append(kept.maxBytes());
		int place = SEND_ARGS + 1;
		for (Target target : this.targets) {
			text.append(' ').append(target.text(this.topic.known()));
			if (target.hasOwnArgs()) {
				text.append(place);
				place += target.ownArgs().size();
			}
		}
		return text.toString();
	}

	/**
	 * Reads the reply.
	 * @return the reply, or the stored state of the topic if that is not the known one
	 */
	Answer reply(Reply reply) {
		String word = reply.text();
		if (word.equals(ScriptWords.GROUPS)) {
			return new Answer(null, TopicKeys.stored(reply));
		}
		LaneStatus status = LaneStatus.valueOf(word);
		if (!reply.hasNext()) {
			return new Answer(new PublishReply(status, Instant.EPOCH, Map.of(), Map.of(), null, null, null), null);
		}
		Instant time = reply.time();
		return new Answer((status == LaneStatus.OK) ? published(time, reply) : refused(status, time, reply), null);
	}

	private PublishReply refused(LaneStatus status, Instant time, Reply reply) {
		SendReply.Overdue overdue = (status == LaneStatus.OVERDUE) ? SendCall.overdue(reply) : null;
		List<Object> details = new ArrayList<>();
		while (reply.hasNext()) {
			details.add(reply.text());
		}
		Named group = details.isEmpty() ? null : named((String) details.remove(details.size() - 1));
		CopySelection selection = (group != null) ? group.selection() : null;
		if (overdue != null && selection != null) {
			overdue = new SendReply.Overdue(selection.position(overdue.position()), overdue.dueAt(),
					overdue.deadline());
		}
		SendRequest copies = (selection != null) ? selection.of(this.request) : this.request;
		SendReply.FullLine line = (status == LaneStatus.FULL)
				? new SendCall(this.topic.queue(), copies, this.wakePrefix).fullLine(new Reply(details)) : null;
		return new PublishReply(status, time, Map.of(), Map.of(), (group != null) ? group.group() : null, overdue,
				line);
	}

	private PublishReply published(Instant time, Reply reply) {
		Map<String, SendReply> groups = new LinkedHashMap<>();
		Map<String, CopySelection> selections = new HashMap<>();
		String group = reply.hasNext() ? reply.text() : null;
		while (group != null) {
			Named named = named(group.substring(ScriptWords.GROUP.length()));
			List<Object> told = new ArrayList<>();
			group = null;
			while (reply.hasNext() && group == null) {
				String next = reply.text();
				if (next.startsWith(ScriptWords.GROUP)) {
					group = next;
				}
				else {
					told.add(next);
				}
			}
			CopySelection selection = named.selection();
			if (selection != null) {
				selections.put(named.group(), selection);
			}
			if (selection == null || !selection.isEmpty()) {
				SendRequest copies = (selection != null) ? selection.of(this.request) : this.request;
				groups.put(named.group(), new SendCall(this.topic.queue(), copies, this.wakePrefix).fates(LaneStatus.OK,
						time, new Reply(told)));
			}
		}
		return new PublishReply(LaneStatus.OK, time, groups, selections, null, null, null);
	}

	/**
	 * Reads the reply, of which one part is there.
	 *
	 * @param reply the reply to the request
	 * @param groups the groups that there are, if the request named others
	 */
	record Answer(@Nullable PublishReply reply, @Nullable StoredTopic groups) {
	}

	private Named named(String text) {
		int colon = text.indexOf(':');
		if (colon < 0) {
			return new Named(text, null);
		}
		String marks = text.substring(colon + 1);
		return new Named(text.substring(0, colon),
				new CopySelection(marks.isEmpty() ? ScriptWords.NO.repeat(this.request.messages().size()) : marks));
	}

	/**
	 * A group in the reply.
	 *
	 * @param selection which messages it got copies of, or {@code null} if it got all
	 */
	private record Named(String group, @Nullable CopySelection selection) {

	}

	/**
	 * A group, and the send to it.
	 *
	 * @param selection which messages it wants, or {@code null} if it wants all
	 * @param call the send; {@code null} if it wants none
	 */
	private record Target(String group, @Nullable LengthLimit limit, @Nullable CopySelection selection,
			@Nullable SendCall call) {

		List<Object> keys(String known) {
			if (this.call == null) {
				return List.of();
			}
			List<Object> keys = new ArrayList<>(this.call.keys());
			keys.set(KNOWN, known);
			return keys.subList(1, keys.size());
		}

		/**
		 * Returns the words about the group: its name, the number of its keys and its
		 * limit. The position of its own arguments follows, if it has some.
		 */
		String text(String known) {
			return (this.call == null) ? this.group + ":0::" + LEFT_OUT : this.group + ":" + keys(known).size() + ":"
					+ SendCall.limit(this.limit) + this.call.refusesLate() + (hasOwnArgs() ? ":" : "");
		}

		boolean hasOwnArgs() {
			return this.selection != null && this.call != null;
		}

		/**
		 * The messages that the group wants, and the rules of those that have a key to
		 * deduplicate by.
		 */
		List<Object> ownArgs() {
			CopySelection wanted = Objects.requireNonNull(this.selection);
			return List.of(wanted.marks(), Objects.requireNonNull(this.call).rules());
		}

	}

}
