package io.redelay.queue.script;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.request.CopySelection;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.wire.CopyFilter;
import io.redelay.queue.wire.QueueKeys;
import org.jspecify.annotations.Nullable;

/**
 * The groups that a request to publish names, and what each of them gets. The filters of
 * the groups are applied here: the script carries the request out only if the groups and
 * filters are the ones known here. A group that wants none of the messages is only named.
 */
final class PublishTargets {

	/**
	 * The place of the key that registers the queue of a send.
	 */
	static final int KNOWN = 4;

	/**
	 * The place of the limit of a send.
	 */
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

	private final TopicScript.StoredTopic known;

	private final SendRequest request;

	private final List<Target> targets = new ArrayList<>();

	PublishTargets(TopicKeys topic, TopicScript.StoredTopic known, SendRequest request,
			Function<String, @Nullable LengthLimit> limits, Function<String, QueueKeys> keys) {
		this.topic = topic;
		this.known = known;
		this.request = request;
		CopyFilter filter = new CopyFilter(request.messages());
		for (TopicScript.StoredGroup group : known.groups()) {
			String queue = GroupName.of(topic.topic(), group.name());
			LengthLimit limit = limits.apply(queue);
			CopySelection selection = filter.select(group.filter().filter());
			SendRequest copies = (selection == null) ? request.limited(limit)
					: selection.isEmpty() ? null : selection.of(request.limited(limit));
			this.targets.add(new Target(group.name(), selection, copies,
					(copies != null) ? keysOf(keys.apply(queue), copies) : List.of()));
		}
	}

	/**
	 * The keys of a send without that of its lane, and with that of the topic in place of
	 * the one that registers the queue.
	 */
	private List<Object> keysOf(QueueKeys queue, SendRequest copies) {
		List<Object> keys = SendScript.keys(queue, copies);
		keys.set(KNOWN, this.topic.known());
		return keys.subList(1, keys.size());
	}

	List<Object> keys() {
		List<Object> all = new ArrayList<>(List.of(this.topic.sent(this.request.lane()), this.topic.known(),
				this.topic.groups(), this.topic.log()));
		this.targets.forEach((target) -> all.addAll(target.keys()));
		return all;
	}

	Object[] args(String wakePrefix) {
		// The arguments of a send of these messages to a queue without a limit.
		List<Object> args = new ArrayList<>(List.of(SendScript.args(this.request.limited(null), wakePrefix, false)));
		if (args.size() == LIMIT) {
			args.add("");
		}
		args.set(LIMIT, text());
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

	private String text() {
		TopicRetention kept = this.known.retention();
		StringBuilder text = new StringBuilder(this.known.version()).append(' ')
			.append(ScriptTime.millis(kept.maxAge()))
			.append(' ')
			.append(kept.maxCount())
			.append(' ')
			.append(kept.maxBytes());
		int place = SEND_ARGS + 1;
		for (Target target : this.targets) {
			text.append(' ').append(target.text());
			if (target.hasOwnArgs()) {
				text.append(place);
				place += target.ownArgs().size();
			}
		}
		return text.toString();
	}

	/**
	 * A group, and the send to it.
	 *
	 * @param selection which messages it wants, or {@code null} if it wants all
	 * @param copies the send; {@code null} if it wants none
	 * @param keys the keys of the send
	 */
	private record Target(String group, @Nullable CopySelection selection, @Nullable SendRequest copies,
			List<Object> keys) {

		/**
		 * Returns the words about the group: its name, the number of its keys and its
		 * limit. The position of its own arguments follows, if it has some.
		 */
		String text() {
			return (this.copies == null) ? this.group + ":0::" + LEFT_OUT
					: this.group + ":" + this.keys.size() + ":" + MessageArguments.limit(this.copies.limit())
							+ SendScript.refusesLate(this.copies) + (hasOwnArgs() ? ":" : "");
		}

		boolean hasOwnArgs() {
			return this.selection != null && this.copies != null;
		}

		/**
		 * The messages that the group wants, and the rules of those that have a key to
		 * deduplicate by.
		 */
		List<Object> ownArgs() {
			return List.of(Objects.requireNonNull(this.selection).marks(),
					MessageArguments.rules(Objects.requireNonNull(this.copies).messages()));
		}

	}

}
