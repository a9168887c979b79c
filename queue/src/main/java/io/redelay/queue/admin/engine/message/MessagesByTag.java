package io.redelay.queue.admin.engine.message;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RedriveResult;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.TaggedScript;
import org.jspecify.annotations.Nullable;

/**
 * Finds messages by their tags, and acts on them, step by step through the partitions of
 * their queue.
 *
 * @since 0.1.0
 */
public record MessagesByTag(AdminScripts store, MessageReader reader, CommandSender commands) {

	private static final Set<MessageState> NOT_COMPLETED = Set.of(MessageState.SCHEDULED, MessageState.READY,
			MessageState.IN_FLIGHT, MessageState.DEAD);

	/**
	 * Shows messages: up to the limit, or as many as one step through a partition gives.
	 */
	public SearchPage find(List<String> partitions, String tag, @Nullable String cursor, int limit) {
		TagCursor at = TagCursor.read(cursor);
		List<QueuedMessage> found = new ArrayList<>();
		int examined = 0;
		while (at.partition() < partitions.size()) {
			if (examined == limit) {
				return new SearchPage(List.copyOf(found), at.text(), examined);
			}
			String partition = partitions.get(at.partition());
			TaggedScript.Page<StoredMessage> step = StoreCalls
				.await(new TaggedScript(this.store).run(partition, tag, at.place(), limit - examined));
			step.messages().forEach((stored) -> found.add(this.reader.read(PartitionName.queueOf(partition), stored)));
			examined += step.passed();
			if (step.next() != null) {
				return new SearchPage(List.copyOf(found), at.at(step.next()).text(), examined);
			}
			at = at.nextPartition();
		}
		return new SearchPage(List.copyOf(found), null, examined);
	}

	/**
	 * Cancels all living messages, and removes all dead ones, except those that are done
	 * meanwhile.
	 * @return how many messages
	 */
	public long cancel(List<String> partitions, String tag) {
		long cancelled = 0;
		for (String partition : partitions) {
			cancelled += walk(partition, tag,
					(places) -> done(this.commands.send(partition, MessageCommand.Action.CANCEL,
							uids(places, (place) -> place.state() != MessageState.COMPLETED).stream()
								.map((uid) -> new CommandSender.Plan(uid, "", NOT_COMPLETED))
								.toList())));
		}
		return cancelled;
	}

	private static long done(List<CommandReply.Result> results) {
		return results.stream().filter((result) -> result.isDone()).count();
	}

	/**
	 * Redrives all dead messages, except those that die meanwhile.
	 */
	public RedriveResult redrive(List<String> partitions, String tag) {
		long redriven = 0;
		List<String> refused = new ArrayList<>();
		for (String partition : partitions) {
			Instant start = StoreCalls.await(this.store.count().run(partition)).time();
			redriven += walk(partition, tag, (places) -> {
				List<String> uids = uids(places, (place) -> place.diedAt() != null && !place.diedAt().isAfter(start));
				RedriveResult result = this.commands.redrive(partition, uids, (position) -> Duration.ZERO);
				refused.addAll(result.refused());
				return result.redriven();
			});
		}
		return new RedriveResult(Math.toIntExact(redriven), refused);
	}

	private static List<String> uids(List<TaggedScript.Place> places, Predicate<TaggedScript.Place> filter) {
		return places.stream().filter(filter).map(TaggedScript.Place::uid).toList();
	}

	/**
	 * Goes through all messages of a tag in a partition.
	 * @param action acts on some of them, and returns a number
	 * @return the sum of these numbers
	 */
	private long walk(String partition, String tag, ToLongFunction<List<TaggedScript.Place>> action) {
		long sum = 0;
		String next = null;
		do {
			TaggedScript.Page<TaggedScript.Place> step = StoreCalls
				.await(new TaggedScript(this.store).places(partition, tag, next, AdminScripts.MAX_PAGE));
			sum += action.applyAsLong(step.messages());
			next = step.next();
		}
		while (next != null);
		return sum;
	}

}
