package io.redelay.queue.script;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SenderMemory;
import io.redelay.queue.wire.CopyFilter;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptKey;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

/**
 * Replays published messages to a group, one step after the other, each of them once.
 *
 * @param context what all scripts that add messages share
 * @param topics the topics as the instance knows them
 * @param topic looks at a topic
 * @since 0.1.0
 */
public record ReplayScript(SendingContext context, KnownTopics topics, TopicScript topic) {

	/**
	 * How many messages a step goes through at most, and how large they are together.
	 */
	private static final int MAX_MESSAGES = 500;

	private static final int MAX_BYTES = 4 * 1024 * 1024;

	private static final String NOTHING = "-";

	/**
	 * Opens a lane to replay on.
	 * @param topic the topic
	 * @param group the group
	 * @return the name of the lane
	 */
	public CompletableFuture<String> open(String topic, String group) {
		String lane = this.context.newLane().get();
		QueueKeys keys = this.context.runner().keys(GroupName.of(topic, group));
		return this.context.runner()
			.run("Opening a replay of the topic '" + topic + "'", Script.OPEN_STEERER,
					keys.sentBy(lane).of(Script.OPEN_STEERER), new Object[] { SenderMemory.MILLIS }, (reply) -> lane);
	}

	/**
	 * Carries out a step.
	 * @param topic the topic
	 * @param group the group
	 * @param step which
	 * @return the result
	 */
	public CompletableFuture<Replayed> run(String topic, String group, Step step) {
		GroupFilter filter = this.topics.known(topic).filter(group);
		CompletableFuture<@Nullable Replayed> replayed = this.context.announceExpiry(GroupName.of(topic, group))
			.thenCompose((announced) -> filter.isEmpty() ? run(topic, group, step, "-", List.of())
					: runFiltered(topic, group, step, filter));
		return replayed.thenCompose((reply) -> (reply != null) ? CompletableFuture.completedFuture(reply)
				: this.topic.run(topic).thenCompose((looked) -> run(topic, group, step)));
	}

	/**
	 * Reads a step, and gives the group the messages that its filter accepts.
	 */
	private CompletableFuture<@Nullable Replayed> runFiltered(String topic, String group, Step step,
			GroupFilter filter) {
		return readLog(topic, step.from(), step.last(), filter).thenCompose((read) -> {
			String reached = read.reached();
			if (reached == null) {
				return CompletableFuture.completedFuture(new Replayed(LaneStatus.OK, 0, NOTHING, read.last(), false));
			}
			Step bounded = new Step(step.lane(), step.seq(), step.from(), reached, step.uid(), step.limit());
			return run(topic, group, bounded, GroupFilterText.of(filter), List.of("", "", "", read.leftOut()))
				.thenApply((reply) -> (reply != null && reply.status() == LaneStatus.OK)
						? new Replayed(reply.status(), reply.added(),
								reply.reached().equals(NOTHING) ? reached : reply.reached(), read.last(), true)
						: reply);
		});
	}

	/**
	 * Reads a step of the kept messages, as the filter of a group sees them.
	 * @param from the first entry, or {@code (} and the entry behind which to begin
	 * @param last the last entry, or {@code +} for the last one that there is
	 */
	private CompletableFuture<Read> readLog(String topic, String from, String last, GroupFilter filter) {
		return this.topics.runner()
			.run("Reading what the topic '" + topic + "' keeps", Script.READ_LOG,
					this.topics.keys(topic).of(Script.READ_LOG), new Object[] { from, last, MAX_MESSAGES, MAX_BYTES },
					(reply) -> read(reply, filter));
	}

	private static Read read(ReplyReader reply, GroupFilter filter) {
		String last = reply.text();
		String reached = null;
		StringBuilder leftOut = new StringBuilder(" ");
		while (reply.hasNext()) {
			reached = reply.text();
			if (!CopyFilter.accepts(filter, envelope(reply.bytes()))) {
				leftOut.append(reached).append(' ');
			}
		}
		return new Read(last, reached, leftOut.toString());
	}

	/**
	 * Returns the envelope of a message that is packed as for a send: behind its head,
	 * and without its first brace.
	 */
	private static byte[] envelope(byte[] message) {
		ByteBuffer packed = ByteBuffer.wrap(message);
		packed.position(Short.BYTES + Short.toUnsignedInt(packed.getShort()));
		byte[] envelope = new byte[packed.getInt() + 1];
		envelope[0] = '{';
		packed.get(envelope, 1, envelope.length - 1);
		return envelope;
	}

	/**
	 * Carries out a step.
	 * @param more the arguments from the sixth on
	 * @return the result, or {@code null} if the group has another filter by now
	 */
	private CompletableFuture<@Nullable Replayed> run(String topic, String group, Step step, String filter,
			List<Object> more) {
		TopicKeys keys = this.topics.keys(topic);
		ScriptRunner runner = this.context.runner();
		List<Object> ofQueue = runner.keys(GroupName.of(topic, group)).of(Script.SEND, ScriptKey.PAST, step.lane());
		ofQueue.set(PublishTargets.KNOWN, keys.known());
		List<Object> names = new ArrayList<>(List.of(ofQueue.get(0), keys.known(), keys.groups(), keys.log()));
		names.addAll(ofQueue.subList(1, ofQueue.size()));
		String what = String.join(" ", group, filter, step.from(), step.last(), Integer.toString(MAX_MESSAGES),
				Integer.toString(MAX_BYTES), step.uid());
		List<Object> args = new ArrayList<>(List.of(step.seq(), SenderMemory.MILLIS, this.context.wakePrefix().get(),
				what, MessageArguments.limit(step.limit())));
		args.addAll(more);
		return runner.run("Giving the group '" + group + "' of the topic '" + topic + "' what was published",
				Script.REPLAY, names, args.toArray(), ReplayScript::replayed);
	}

	private static @Nullable Replayed replayed(ReplyReader reply) {
		String word = reply.text();
		if (word.equals(ScriptWords.GROUPS)) {
			return null;
		}
		if (word.equals(TopicScript.Removal.Outcome.UNKNOWN.name())) {
			return new Replayed(null, 0, NOTHING, NOTHING, false);
		}
		LaneStatus status = LaneStatus.valueOf(word);
		if (status != LaneStatus.OK) {
			return new Replayed(status, 0, NOTHING, NOTHING, false);
		}
		reply.time();
		int added = (int) reply.number();
		String reached = reply.text();
		boolean hasMore = reply.flag();
		return new Replayed(status, added, reached, reply.text(), hasMore);
	}

	/**
	 * A step of a replay.
	 *
	 * @param lane an open lane
	 * @param seq the number of the request in that lane, from 1
	 * @param from the first entry, or {@code (} and the entry behind which to begin
	 * @param last the last entry, or {@code +} for the last one that there is
	 * @param uid a new uid
	 * @param limit how long the queue may be, if that is limited
	 */
	public record Step(String lane, long seq, String from, String last, String uid, @Nullable LengthLimit limit) {
	}

	/**
	 * The result of a step.
	 *
	 * @param status whether it was carried out, or {@code null} if there is no such group
	 * @param added how many messages were given to the group
	 * @param reached where the next step begins: behind this entry
	 * @param last the last entry to give
	 * @param hasMore whether there is a next step
	 */
	public record Replayed(@Nullable LaneStatus status, int added, String reached, String last, boolean hasMore) {
	}

	/**
	 * A step.
	 *
	 * @param last the last entry to give
	 * @param reached the last entry of the step, or {@code null} if there is none
	 * @param leftOut the entries of the step that the filter leaves out, with a blank
	 * before and behind each
	 */
	private record Read(String last, @Nullable String reached, String leftOut) {
	}

}
