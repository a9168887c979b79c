package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.LaneReply;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.request.RequestProtocol.Attempt;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.SenderMemory;
import io.redelay.queue.script.NameLists;
import io.redelay.queue.script.NextMessageTexts;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.SenderScript;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;

/**
 * Carries out commands on bundles, in keys of the queue that gets their callbacks.
 *
 * @since 0.1.0
 */
public final class BundleScript {

	/**
	 * How many messages one command names at most.
	 */
	public static final int MAX_MEMBERS = 1000;

	private static final int MAX_COMMANDS = 4;

	/**
	 * To how many queues one request sends at most; the keys of each are named.
	 */
	private static final int MAX_QUEUES = 50;

	private static final int MAX_WAITING = 10_000;

	private final ScriptRunner runner;

	private final Supplier<String> wakePrefix;

	private final ReplayMemory memory;

	private final Supplier<ScriptObservers> observers;

	private final Uids lanes = new Uids();

	public BundleScript(ScriptRunner runner, Supplier<String> wakePrefix, ReplayMemory memory,
			Supplier<ScriptObservers> observers) {
		this.runner = runner;
		this.wakePrefix = wakePrefix;
		this.memory = memory;
		this.observers = observers;
	}

	/**
	 * Creates batchers of commands on bundles.
	 * @return the batchers, one for each queue where bundles are kept
	 */
	public RequestBatchers<BundleCommand, Result> batchers() {
		return new RequestBatchers<>(this::protocol, this.memory);
	}

	private RequestProtocol<BundleCommand, Result> protocol(String queue) {
		return new RequestProtocol<>(
				new RequestProtocol.Settings(queue, Rollback.Lane.BUNDLES, MAX_COMMANDS, MAX_WAITING),
				BundleCommand::bytes, () -> open(queue),
				(lane, seq, renews, commands, attempt) -> run(queue, lane, seq, commands, attempt != Attempt.FIRST),
				(lane) -> new SenderScript(this.runner).check(queue, lane));
	}

	/**
	 * Opens a lane to give commands on.
	 * @param queue the queue where the bundles are kept
	 * @return its name, when it is open
	 */
	public CompletableFuture<String> open(String queue) {
		String what = "Opening a lane for the bundles of the queue '" + queue + "'";
		// In this order: see QueueNames#forget.
		NameLists names = new NameLists(this.runner);
		return new SenderScript(this.runner).open(what, queue, this.lanes.next())
			.thenCompose((lane) -> names.add(what, NameLists.BUNDLED, queue)
				.thenCompose((registered) -> names.add(what, NameLists.QUEUES, queue))
				.thenApply((registered) -> lane));
	}

	/**
	 * Gives commands.
	 * @param queue the queue where the bundles are kept
	 * @param lane an open lane
	 * @param seq the number of the request in that lane, from 1
	 * @param commands the commands
	 * @param again whether they are given again because Redis went back in time
	 * @return what became of them
	 */
	public CompletableFuture<Result> run(String queue, String lane, long seq, List<BundleCommand> commands,
			boolean again) {
		QueueKeys names = this.runner.keys(queue);
		List<Object> keys = names.sentBy(lane).of(Script.BUNDLE);
		NextMessageTexts sends = new NextMessageTexts(names, this.runner::keys, this.runner.isClustered(),
				keys.size() + 1);
		ScriptObservers observers = this.observers.get();
		List<Map<String, List<NewMessage>>> direct = (again || observers.needMoves() || queues(commands) > MAX_QUEUES)
				? List.of() : commands.stream().map((command) -> direct(command, sends)).toList();
		List<Object> targets = sends.keys();
		keys.addAll(targets);
		List<Object> args = new ArrayList<>(
				List.of(seq, SenderMemory.MILLIS, this.wakePrefix.get(), queue, again ? ScriptWords.YES : ""));
		for (BundleCommand command : commands) {
			args.addAll(List.of(command.verb(), command.bundle(), command.arguments().size()));
			for (Object argument : command.arguments()) {
				args.add((argument instanceof BundleCommand.NewMember member)
						? sends.text(member.next(), false, member.isDirect()) : argument);
			}
		}
		ScriptObservers.Call observed = targets.isEmpty() ? null : observers.begin();
		CompletableFuture<Result> result = this.runner.run("Keeping the bundles of the queue '" + queue + "'",
				Script.BUNDLE, keys, args.toArray(), BundleScript::reply);
		return (observed == null) ? result : result.thenApply((reply) -> {
			for (int i = 0; i < reply.answers().size(); i++) {
				// Those in the outbox are counted when they are sent from there.
				if (reply.answers().get(i).equals(Result.ADDED)) {
					direct.get(i).forEach((target, messages) -> observed.ended(sent(target, messages, reply.time())));
				}
			}
			return reply;
		});
	}

	private static int queues(List<BundleCommand> commands) {
		Set<String> queues = new HashSet<>();
		for (BundleCommand command : commands) {
			for (Object argument : command.arguments()) {
				if (argument instanceof BundleCommand.NewMember member && member.isDirect()) {
					queues.add(member.queue());
				}
			}
		}
		return queues.size();
	}

	/**
	 * Returns the messages that are sent in the same step, by queue.
	 */
	private static Map<String, List<NewMessage>> direct(BundleCommand command, NextMessageTexts sends) {
		Map<String, List<NewMessage>> direct = new HashMap<>();
		for (Object argument : command.arguments()) {
			if (argument instanceof BundleCommand.NewMember member && member.isDirect()
					&& sends.collect(member.next(), false)) {
				direct.computeIfAbsent(member.queue(), (queue) -> new ArrayList<>()).add(member.message());
			}
		}
		return direct;
	}

	private static ScriptCall.Send sent(String queue, List<NewMessage> messages, Instant time) {
		return new ScriptCall.Send(queue, new SendRequest("", 1, false, messages, null, false, false),
				new SendReply(LaneStatus.OK, time, Map.of(), List.of()), 0);
	}

	private static Result reply(ReplyReader reply) {
		LaneStatus status = reply.status();
		Instant time = reply.hasNext() ? reply.time() : Instant.EPOCH;
		boolean follows = reply.hasNext() && reply.flag();
		return new Result(status, time, follows, reply.texts());
	}

	/**
	 * The reply to commands on bundles.
	 *
	 * @param status whether the request was carried out
	 * @param time the store's clock when it was
	 * @param follows whether the outbox has notes as a result
	 * @param answers the answer to each command, in the same order
	 */
	public record Result(LaneStatus status, Instant time, boolean follows,
			List<String> answers) implements LaneReply<Result> {

		/**
		 * The answer if there is no such bundle.
		 */
		public static final String UNKNOWN = "UNKNOWN";

		/**
		 * The answer to {@link BundleCommand#add} if all messages were sent whose queues
		 * the script can reach.
		 */
		public static final String ADDED = "ADDED";

		/**
		 * The answer if the last message of the bundle has ended, and its callback was
		 * added.
		 */
		public static final String ENDED = "ENDED";

		/**
		 * The answer to {@link BundleCommand#open} if there was one of the id.
		 */
		public static final String THERE = "THERE";

		@Override
		public Result part(int first, int size) {
			return new Result(this.status, this.time, this.follows, this.answers.subList(first, first + size));
		}

	}

}
