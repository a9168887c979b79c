package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.log.PlainLog;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.CopySelection;
import io.redelay.queue.request.LaneReply;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.request.RequestProtocol.Attempt;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Adds messages to each group of a topic, all to all of them or none to any. All that
 * belongs to a topic is in one slot, so that one script reaches all groups. A request
 * names the groups that are known here; the script replies with the present ones if they
 * have changed.
 *
 * @param context what all scripts that add messages share
 * @param topics the topics as the instance knows them
 * @param subscribe registers groups again that Redis has forgotten
 * @since 0.1.0
 */
public record PublishScript(SendingContext context, KnownTopics topics, SubscribeScript subscribe) {

	private static final Log logger = PlainLog.of(PublishScript.class);

	private static final int MAX_MESSAGES = 1000;

	/**
	 * How often a request is repeated because the groups changed meanwhile.
	 */
	private static final int MAX_ROUNDS = 20;

	/**
	 * Returns how messages are published to a topic.
	 * @param topic the topic
	 * @param maxWaiting how many messages wait at most; more are refused
	 * @param limits how long the queue of a group may be, by its name in the store
	 * @param handedOver for how long a group remembers a uid, so that a repeated message
	 * is ignored; {@code null} if no other instance may publish the messages
	 * @param configured called with the topic before a lane is opened; completes when
	 * Redis has the configuration of the topic
	 * @return the protocol of a batcher
	 */
	public RequestProtocol<NewMessage, Result> protocol(String topic, int maxWaiting,
			Function<String, @Nullable LengthLimit> limits, @Nullable Duration handedOver,
			Function<String, CompletableFuture<Void>> configured) {
		String queue = GroupName.ofTopic(topic);
		return new RequestProtocol<>(
				new RequestProtocol.Settings(queue, Rollback.Lane.SENDER, MAX_MESSAGES, maxWaiting), NewMessage::bytes,
				() -> configured.apply(topic).thenCompose((done) -> open(topic)),
				(lane, seq, renews, messages, attempt) -> {
					CompletableFuture<Result> published = run(topic,
							new SendRequest(lane, seq, renews, messages, null, attempt.holdBack(),
									attempt.wasAnswered(), handedOver, null),
							(attempt == Attempt.FIRST) ? limits : (group) -> null);
					return attempt.wasAnswered() ? published : published.thenApply((reply) -> {
						reply.groups().forEach((group, sent) -> logDropped(topic, group, sent));
						return reply;
					});
				}, (lane) -> new SenderScript(this.context.runner()).check(queue, lane));
	}

	private static void logDropped(String topic, String group, SendReply reply) {
		if (!reply.dropped().isEmpty()) {
			logger.warn("The group '" + group + "' of the topic '" + topic + "' is full, and dropped "
					+ reply.dropped().size() + " message(s) that had waited longest: " + reply.dropped());
		}
	}

	/**
	 * Opens a lane to publish on.
	 * @param topic the topic
	 * @return the name of the lane, when it is open
	 */
	public CompletableFuture<String> open(String topic) {
		String lane = this.context.newLane().get();
		return this.topics.register(topic)
			.thenCompose((registered) -> new SenderScript(this.context.runner()).open(this.topics.keys(topic), lane));
	}

	/**
	 * Adds messages to each group of a topic.
	 * @param topic the topic
	 * @param request the messages to add
	 * @param limits how long the queue of a group may be, by its name in the store
	 * @return the result
	 */
	public CompletableFuture<Result> run(String topic, SendRequest request,
			Function<String, @Nullable LengthLimit> limits) {
		boolean expires = SendingContext.expires(request.messages());
		if (expires) {
			this.context.expiryMatters().run();
		}
		return run(topic, request, limits, expires, 1);
	}

	private CompletableFuture<Result> run(String topic, SendRequest request,
			Function<String, @Nullable LengthLimit> limits, boolean expires, int round) {
		TopicScript.StoredTopic groups = this.topics.known(topic);
		ScriptRunner runner = this.context.runner();
		PublishTargets targets = new PublishTargets(this.topics.keys(topic), groups, request, limits, runner::keys);
		CompletableFuture<?> announced = expires ? announce(topic, groups) : CompletableFuture.completedFuture(null);
		ScriptObservers.Call observed = this.context.observers().get().beginSend();
		return announced
			.thenCompose((done) -> runner.run("Publishing to the topic '" + topic + "'", Script.PUBLISH, targets.keys(),
					targets.args(this.context.wakePrefix().get()), (reply) -> answer(request, reply)))
			.thenCompose((answer) -> {
				Result reply = answer.reply();
				if (reply != null) {
					if (observed != null) {
						published(topic, request, reply, observed);
					}
					return CompletableFuture.completedFuture(reply);
				}
				return (round < MAX_ROUNDS)
						? this.subscribe.learn(topic, groups, Objects.requireNonNull(answer.groups()))
							.thenCompose((learned) -> run(topic, request, limits, expires, round + 1))
						: CompletableFuture.failedFuture(new StoreException("the groups of the topic '" + topic
								+ "' changed each of the " + MAX_ROUNDS + " times that it was tried", null));
			});
	}

	private CompletableFuture<?> announce(String topic, TopicScript.StoredTopic groups) {
		return CompletableFuture.allOf(groups.groups()
			.stream()
			.map((group) -> this.context.expiries().announce(GroupName.of(topic, group.name())))
			.toArray(CompletableFuture[]::new));
	}

	/**
	 * Each group's copy is sent to a queue of its own.
	 */
	private static void published(String topic, SendRequest request, Result reply, ScriptObservers.Call observed) {
		reply.groups().forEach((group, sent) -> {
			String queue = GroupName.of(topic, group);
			SendRequest copies = reply.copies(group, request);
			observed.sending(queue, copies);
			observed.ended(new ScriptCall.Send(queue, copies, sent, observed.nanos()));
		});
		if (!request.again()) {
			reply.selections()
				.forEach((group, selection) -> observed
					.ended(new ScriptCall.Filter(GroupName.of(topic, group), selection.leftOut())));
		}
	}

	private static Answer answer(SendRequest request, ReplyReader reply) {
		String word = reply.text();
		if (word.equals(ScriptWords.GROUPS)) {
			return new Answer(null, TopicKeys.stored(reply));
		}
		LaneStatus status = LaneStatus.valueOf(word);
		if (!reply.hasNext()) {
			return new Answer(new Result(status, Instant.EPOCH, Map.of(), Map.of(), null, null, null), null);
		}
		Instant time = reply.time();
		return new Answer((status == LaneStatus.OK) ? published(time, request.messages(), reply)
				: refused(status, time, request.messages(), reply), null);
	}

	private static Result refused(LaneStatus status, Instant time, List<NewMessage> messages, ReplyReader reply) {
		SendReply.Overdue overdue = (status == LaneStatus.OVERDUE) ? SendScript.overdue(reply) : null;
		List<Object> details = new ArrayList<>();
		while (reply.hasNext()) {
			details.add(reply.text());
		}
		Named group = details.isEmpty() ? null : Named.of((String) details.remove(details.size() - 1), messages);
		CopySelection selection = (group != null) ? group.selection() : null;
		if (overdue != null && selection != null) {
			overdue = new SendReply.Overdue(selection.position(overdue.position()), overdue.dueAt(),
					overdue.deadline());
		}
		SendReply.FullLine line = (status == LaneStatus.FULL)
				? SendScript.fullLine((selection != null) ? selection.of(messages) : messages, new ReplyReader(details))
				: null;
		return new Result(status, time, Map.of(), Map.of(), (group != null) ? group.group() : null, overdue, line);
	}

	private static Result published(Instant time, List<NewMessage> messages, ReplyReader reply) {
		Map<String, SendReply> groups = new LinkedHashMap<>();
		Map<String, CopySelection> selections = new HashMap<>();
		List<String> words = reply.texts();
		int end;
		for (int begin = 0; begin < words.size(); begin = end) {
			Named named = Named.of(words.get(begin).substring(ScriptWords.GROUP.length()), messages);
			end = begin + 1;
			while (end < words.size() && !words.get(end).startsWith(ScriptWords.GROUP)) {
				end++;
			}
			List<String> fates = words.subList(begin + 1, end);
			CopySelection selection = named.selection();
			if (selection != null) {
				selections.put(named.group(), selection);
			}
			if (selection == null || !selection.isEmpty()) {
				groups.put(named.group(), SendScript.fates(time,
						(selection != null) ? selection.of(messages) : messages, new ReplyReader(fates)));
			}
		}
		return new Result(LaneStatus.OK, time, groups, selections, null, null, null);
	}

	/**
	 * The reply, of which one part is there.
	 *
	 * @param reply the reply to the request
	 * @param groups the groups that there are, if the request named others
	 */
	private record Answer(@Nullable Result reply, TopicScript.@Nullable StoredTopic groups) {
	}

	/**
	 * A group in the reply.
	 *
	 * @param selection which messages it got copies of, or {@code null} if it got all
	 */
	private record Named(String group, @Nullable CopySelection selection) {

		static Named of(String text, List<NewMessage> messages) {
			int colon = text.indexOf(':');
			if (colon < 0) {
				return new Named(text, null);
			}
			String marks = text.substring(colon + 1);
			return new Named(text.substring(0, colon),
					new CopySelection(marks.isEmpty() ? ScriptWords.NO.repeat(messages.size()) : marks));
		}

	}

	/**
	 * The reply to a request to publish messages.
	 *
	 * @param status whether the request was carried out
	 * @param time the store's clock when it was
	 * @param groups the groups that got copies, each with the fates of the copies that
	 * were not simply added, by the position among its copies
	 * @param selections the messages of which a group got copies, for each group whose
	 * filter left some out
	 * @param refusedBy the group that refused them, or {@code null} if none did
	 * @param overdue the message for which all are refused, if its deadline is over when
	 * it is due
	 * @param fullLine the message for which all are refused, if the line of its ordering
	 * key is as long as it may be in that group
	 */
	public record Result(LaneStatus status, Instant time, Map<String, SendReply> groups,
			Map<String, CopySelection> selections, @Nullable String refusedBy, SendReply.@Nullable Overdue overdue,
			SendReply.@Nullable FullLine fullLine) implements LaneReply<Result> {

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
		public Result part(int first, int size) {
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
			return new Result(this.status, this.time, parts, selected, this.refusedBy, this.overdue, this.fullLine);
		}

	}

}
