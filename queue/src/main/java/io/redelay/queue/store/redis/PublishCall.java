package io.redelay.queue.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.redelay.queue.limits.GroupName;
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
 * a topic: what a send to each of them would name.
 */
final class PublishCall {

	/**
	 * Where a send names what makes its queue known, and its limit.
	 */
	static final int KNOWN = 4;

	private static final int LIMIT = 4;

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
		for (StoredGroup group : known.groups()) {
			String queue = GroupName.of(topic.topic(), group.name());
			LengthLimit limit = limits.apply(queue);
			this.targets
				.add(new Target(group.name(), limit, new SendCall(keys.apply(queue), limited(limit), wakePrefix)));
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
		// What a send of these messages to any queue without a limit is given.
		Object[] sent = send().args();
		List<Object> args = new ArrayList<>(List.of(sent));
		if (args.size() == LIMIT) {
			args.add("");
		}
		args.set(LIMIT, targets());
		return args.toArray();
	}

	private SendCall send() {
		return new SendCall(this.topic.queue(), limited(null), this.wakePrefix);
	}

	private String targets() {
		String refusesLate = send().refusesLate();
		TopicRetention kept = this.known.retention();
		StringBuilder text = new StringBuilder(this.known.version()).append(' ')
			.append(ScriptTime.millis(kept.maxAge()))
			.append(' ')
			.append(kept.maxCount())
			.append(' ')
			.append(kept.maxBytes());
		this.targets.forEach((target) -> text.append(' ')
			.append(target.group())
			.append(':')
			.append(target.keys(this.topic.known()).size())
			.append(':')
			.append(SendCall.limit(target.limit()))
			.append(refusesLate));
		return text.toString();
	}

	/**
	 * Reads the reply.
	 * @return the reply, or what the store has of the topic if that is not what is known
	 */
	Answer reply(Reply reply) {
		String word = reply.text();
		if (word.equals(ScriptWords.GROUPS)) {
			return new Answer(null, TopicKeys.stored(reply));
		}
		LaneStatus status = LaneStatus.valueOf(word);
		if (!reply.hasNext()) {
			return new Answer(new PublishReply(status, Instant.EPOCH, Map.of(), null, null), null);
		}
		Instant time = reply.time();
		if (status != LaneStatus.OK) {
			SendReply.Overdue overdue = (status == LaneStatus.OVERDUE) ? SendCall.overdue(reply) : null;
			String last = null;
			while (reply.hasNext()) {
				last = reply.text();
			}
			return new Answer(new PublishReply(status, time, Map.of(), last, overdue), null);
		}
		Map<String, SendReply> groups = new LinkedHashMap<>();
		SendCall call = send();
		String group = reply.hasNext() ? reply.text() : null;
		while (group != null) {
			String name = group.substring(ScriptWords.GROUP.length());
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
			groups.put(name, call.fates(status, time, new Reply(told)));
		}
		return new Answer(new PublishReply(status, time, groups, null, null), null);
	}

	/**
	 * Reads the reply, of which one part is there.
	 *
	 * @param reply what became of the request
	 * @param groups the groups that there are, if the request named others
	 */
	record Answer(@Nullable PublishReply reply, @Nullable StoredTopic groups) {
	}

	/**
	 * A group, and what a send to it would name.
	 */
	private record Target(String group, @Nullable LengthLimit limit, SendCall call) {

		List<Object> keys(String known) {
			List<Object> keys = new ArrayList<>(this.call.keys());
			keys.set(KNOWN, known);
			return keys.subList(1, keys.size());
		}

	}

}
