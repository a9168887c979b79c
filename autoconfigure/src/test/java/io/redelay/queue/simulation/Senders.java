package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.MessageState;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.PublishScript;
import io.redelay.queue.script.admin.BundleScript;

/**
 * What instances send, publish and command in a run.
 */
final class Senders {

	private final Simulation run;

	/**
	 * The messages that commands may name.
	 */
	private final List<String> known = new ArrayList<>();

	/**
	 * The partition that each message was sent to.
	 */
	private final Map<String, String> partitions = new HashMap<>();

	/**
	 * The groups that have got copies.
	 */
	private final Set<String> registered = new TreeSet<>();

	private int renamed;

	Senders(Simulation run) {
		this.run = run;
	}

	/**
	 * Sends several times in short order, so that requests, replies and wake-ups cross.
	 */
	void sendSome() {
		for (int i = this.run.random.nextInt(6); i >= 0; i--) {
			this.run.time.schedule(this::send, SimulatedInstance.millis(this.run.random, 0, 30));
		}
	}

	/**
	 * Sends up to five messages together, from any instance that lives.
	 */
	private void send() {
		List<Simulation.Instance> living = this.run.living();
		if (living.isEmpty()) {
			return;
		}
		Simulation.Instance sender = living.get(this.run.random.nextInt(living.size()));
		List<Messages.Sending> messages = new ArrayList<>();
		for (int i = this.run.random.nextInt(5); i >= 0; i--) {
			messages.add(this.run.messages.next());
		}
		boolean waits = this.run.random.nextInt(3) == 0;
		sender.threads.execute(() -> send(sender, messages, waits));
	}

	private void send(Simulation.Instance sender, List<Messages.Sending> messages, boolean waits) {
		this.run.note(sender + (waits ? " waits, and sends " : " sends ") + messages);
		List<String> uids = messages.stream().map(Messages.Sending::uid).toList();
		messages.forEach((message) -> {
			this.run.history.sends(sender.toString(), message, !waits, this.run.now());
			if (message.message().deduplication() == null) {
				this.known.add(message.uid());
			}
		});
		int turn = this.run.random.nextInt(Simulation.PARTITIONS);
		sender.application.ready(Simulation.QUEUE).whenComplete((ready, failure) -> {
			if (failure != null) {
				uids.forEach(this.run.history::refused);
				return;
			}
			Map<String, List<NewMessage>> parts = new LinkedHashMap<>();
			messages.forEach(
					(message) -> parts.computeIfAbsent(partition(sender, message, turn), (name) -> new ArrayList<>())
						.add(message.message()));
			parts.forEach((partition, part) -> send(sender, partition, part, waits));
		});
	}

	String partition(Simulation.Instance sender, Messages.Sending message, int turn) {
		String partition = sender.application.partition(Simulation.QUEUE, message.message(), turn);
		this.partitions.put(message.uid(), partition);
		return partition;
	}

	private void send(Simulation.Instance sender, String partition, List<NewMessage> sent, boolean waits) {
		if (waits) {
			this.run.count("sends of callers that wait");
		}
		List<String> uids = sent.stream().map(NewMessage::uid).toList();
		sender.application.send(partition, sent, waits).whenComplete((reply, failure) -> {
			this.run.note(sender + " was notified of " + uids + ": " + ((failure != null) ? failure : reply.status()));
			if (failure == null && reply.status() == LaneStatus.OK) {
				for (int i = 0; i < uids.size(); i++) {
					sent(this.run.history, uids.get(i), reply.fates().get(i), reply.time().toEpochMilli());
				}
			}
			else if (failure == null) {
				this.run.count("sends refused: " + reply.status());
				uids.forEach(this.run.history::refused);
			}
			else if (StoreException.cause(failure) instanceof OutcomeUnknownException) {
				this.run.count("sends of unknown outcome");
			}
			else {
				this.run.count("sends refused");
				uids.forEach(this.run.history::refused);
			}
		});
	}

	private void sent(History history, String uid, SendReply.Fate fate, long there) {
		SendOutcome outcome = (fate != null) ? fate.outcome() : SendOutcome.ADDED;
		switch (outcome) {
			case DUPLICATE -> {
				this.run.count("duplicates");
				history.duplicate(uid,
						this.run.faulty || this.run.killing || this.run.steered || this.run.bulk || this.run.once);
			}
			case REPLACED, GATHERED -> {
				this.run.count((outcome == SendOutcome.REPLACED) ? "messages replaced" : "messages gathered");
				history.joined(uid, fate.other(), there);
			}
			default -> {
				this.run.count("sends acknowledged");
				history.sent(uid, there);
			}
		}
	}

	/**
	 * Publishes up to three messages to all groups of the topic.
	 */
	void publish() {
		List<Simulation.Instance> living = this.run.living();
		if (living.isEmpty()) {
			return;
		}
		Simulation.Instance sender = living.get(this.run.random.nextInt(living.size()));
		List<Messages.Sending> messages = new ArrayList<>();
		for (int i = this.run.random.nextInt(3); i >= 0; i--) {
			messages.add(this.run.messages.published());
		}
		sender.threads.execute(() -> publish(sender, messages));
	}

	private void publish(Simulation.Instance sender, List<Messages.Sending> messages) {
		this.run.note(sender + " publishes " + messages);
		List<String> registered = List.copyOf(this.registered);
		long invoked = this.run.time.elapsed().toMillis();
		groups().forEach((history) -> messages
			.forEach((message) -> history.sends(sender.toString(), message, true, this.run.now())));
		sender.application.publish(Simulation.TOPIC, messages.stream().map(Messages.Sending::message).toList())
			.whenComplete((reply, failure) -> {
				this.run.note(sender + " was notified of " + messages.stream().map(Messages.Sending::uid).toList()
						+ ": " + ((failure != null) ? failure
								: reply.status() + " " + reply.groups().keySet() + reply.selections()));
				if (failure == null && reply.status() == LaneStatus.OK) {
					this.run.count("publications");
					published(messages, reply, invoked);
					this.registered.addAll(reply.allGroups());
					this.run.check(this.run.history.wentBackSince(0) || reply.allGroups().containsAll(registered),
							"only the groups " + reply.allGroups() + " got copies, and there are " + registered);
				}
				else if (failure == null || !(StoreException.cause(failure) instanceof OutcomeUnknownException)) {
					groups().forEach((history) -> messages.forEach((message) -> history.refused(message.uid())));
				}
			});
	}

	private void published(List<Messages.Sending> messages, PublishScript.Result reply, long invoked) {
		Simulation.GROUPS.forEach((group) -> {
			History history = this.run.histories.get(GroupName.of(Simulation.TOPIC, group));
			boolean registered = reply.allGroups().contains(group);
			for (int i = 0; i < messages.size(); i++) {
				String uid = messages.get(i).uid();
				boolean copied = registered && reply.isCopied(group, i);
				if (registered && this.run.filters != null) {
					this.run.filters.published(group, uid, copied, invoked);
				}
				if (copied) {
					sent(history, uid, reply.fate(group, i), reply.time().toEpochMilli());
				}
				else {
					history.refused(uid);
				}
			}
		});
	}

	private List<History> groups() {
		return Simulation.GROUPS.stream()
			.map((group) -> this.run.histories.get(GroupName.of(Simulation.TOPIC, group)))
			.toList();
	}

	/**
	 * Sends a bundle of up to six messages, at once or bit by bit.
	 */
	void bundle() {
		List<Simulation.Instance> living = this.run.living();
		if (living.isEmpty()) {
			return;
		}
		Simulation.Instance sender = living.get(this.run.random.nextInt(living.size()));
		Messages.Sending callback = this.run.messages.callback();
		List<Messages.Sending> messages = new ArrayList<>();
		for (int i = this.run.random.nextInt(6); i >= 0; i--) {
			messages.add(this.run.messages.member(Simulation.QUEUE, callback.uid()));
		}
		int first = 1 + this.run.random.nextInt(messages.size());
		sender.threads.execute(() -> sender.application.ready(Simulation.QUEUE).whenComplete((ready, failure) -> {
			if (failure == null) {
				bundle(sender, callback, messages, first);
			}
			else {
				this.run
					.note(sender + " does not know the partitions for the bundle " + callback.uid() + ": " + failure);
			}
		}));
	}

	private void bundle(Simulation.Instance sender, Messages.Sending callback, List<Messages.Sending> messages,
			int first) {
		List<Messages.Sending> begin = messages.subList(0, first);
		List<Messages.Sending> rest = messages.subList(first, messages.size());
		this.run.history.sends(sender.toString(), callback, false, this.run.now());
		add(sender, callback, begin,
				(added) -> sender.application.open(Simulation.QUEUE, callback.uid(), added, rest.isEmpty()), () -> {
					if (!rest.isEmpty()) {
						sender.threads.schedule(() -> add(sender, callback, rest,
								(added) -> sender.application.close(Simulation.QUEUE, callback.uid(), added), () -> {
								}), SimulatedInstance.millis(this.run.random, 0, 5000));
					}
				});
	}

	private void add(Simulation.Instance sender, Messages.Sending callback, List<Messages.Sending> messages,
			Function<List<NextMessage>, CompletableFuture<BundleScript.Result>> request, Runnable next) {
		this.run.note(sender + " adds " + messages + " to the bundle " + callback.uid());
		this.run.history.sendsInBundle(sender.toString(), callback.uid(), messages, this.run.now());
		int turn = this.run.random.nextInt(Simulation.PARTITIONS);
		List<NextMessage> added = messages.stream()
			.map((message) -> new NextMessage(partition(sender, message, turn), message.message(), null))
			.toList();
		request.apply(added).whenComplete((reply, failure) -> {
			this.run.note(sender + " was notified of the bundle " + callback.uid() + ": "
					+ ((failure != null) ? failure : reply.answers()));
			if (failure == null && !reply.answers().contains(BundleScript.Result.UNKNOWN)) {
				this.run.count("bundles added to");
				messages.forEach((message) -> this.run.history.taken(message.uid()));
				this.run.history.taken(callback.uid());
				next.run();
			}
			else if (failure == null) {
				this.run.check(this.run.faulty || this.run.killing, "the bundle " + callback.uid() + " is not known");
			}
		});
	}

	/**
	 * Cancels a message, or has it due at another time.
	 */
	void steer() {
		steer(this.known, this.run.random);
	}

	/**
	 * Does so with a message that is not due for some time.
	 */
	void steerFar(Duration farAway, Random random) {
		long from = this.run.now() + farAway.toMillis();
		steer(this.known.stream().filter((uid) -> this.run.history.earliest(uid) > from).toList(), random);
	}

	private void steer(List<String> some, Random random) {
		List<Simulation.Instance> living = this.run.living();
		if (living.isEmpty() || some.isEmpty()) {
			return;
		}
		Simulation.Instance instance = living.get(random.nextInt(living.size()));
		String uid = some.get(random.nextInt(some.size()));
		boolean cancels = random.nextBoolean();
		Duration delay = Duration.ofMillis(random.nextInt(10_000));
		String fresh = uid.substring(0, 5) + "." + ++this.renamed;
		instance.threads.execute(() -> {
			this.run.note(instance + (cancels ? " cancels " : " has due in " + delay + " ") + uid);
			long asked = this.run.history.event();
			long due = this.run.now() + delay.toMillis();
			if (cancels) {
				this.run.history.cancels(uid);
			}
			else {
				this.run.history.reschedules(uid, fresh);
				this.known.add(fresh);
				this.partitions.put(fresh, this.partitions.getOrDefault(uid, Simulation.QUEUE));
			}
			instance.application
				.command(this.partitions.getOrDefault(uid, Simulation.QUEUE),
						cancels ? new MessageCommand(MessageCommand.Action.CANCEL, uid, "", "-")
								: new MessageCommand(MessageCommand.Action.SCHEDULE, uid, MessageCommand.after(delay),
										fresh))
				.whenComplete((result, failure) -> {
					this.run.note(instance + " was notified of its command on " + uid + ": "
							+ ((failure != null) ? failure : result));
					if (failure == null && result.isDone()) {
						boolean waited = result.state() == MessageState.SCHEDULED
								|| result.state() == MessageState.READY;
						this.run.count(cancels ? "messages cancelled" : "messages rescheduled");
						if (cancels && waited) {
							this.run.history.cancelled(uid);
						}
						else if (!cancels) {
							this.run.history.rescheduled(uid, asked, due);
						}
					}
				});
		});
	}

	/**
	 * Pauses the queue, closes it for sends, or closes a gate of it or of a fairness key,
	 * and opens it again.
	 */
	void close() {
		if (this.run.living().isEmpty()) {
			return;
		}
		Duration duration = SimulatedInstance.millis(this.run.random, 100, 9000);
		switch (this.run.random.nextInt(4)) {
			case 0 -> {
				command(Claims.PAUSE, MessageCommand.flag(Claims.PAUSE, true), Long.MAX_VALUE);
				this.run.time.schedule(() -> command(Claims.PAUSE, MessageCommand.flag(Claims.PAUSE, false), 0),
						duration);
			}
			case 1 -> {
				command("closed", MessageCommand.flag("closed", true), 0);
				this.run.time.schedule(() -> command("closed", MessageCommand.flag("closed", false), 0), duration);
			}
			default -> {
				String key = this.run.random.nextBoolean() ? "" : "f" + this.run.random.nextInt(3);
				boolean opens = this.run.random.nextInt(4) == 0;
				command(Claims.GATE + key, MessageCommand.gate(key, opens ? Duration.ZERO : duration),
						opens ? 0 : this.run.now() + duration.toMillis());
			}
		}
	}

	/**
	 * Opens what is paused or closed, also where a pause was repeated as the server went
	 * back.
	 */
	void reopen() {
		if (this.run.gated && !this.run.living().isEmpty()) {
			command(Claims.PAUSE, MessageCommand.flag(Claims.PAUSE, false), 0);
			command("closed", MessageCommand.flag("closed", false), 0);
		}
	}

	private void command(String what, MessageCommand command, long until) {
		List<Simulation.Instance> living = this.run.living();
		if (living.isEmpty()) {
			return;
		}
		Simulation.Instance instance = living.get(this.run.random.nextInt(living.size()));
		instance.threads.execute(() -> {
			this.run.history.commands(what, this.run.now());
			instance.application.command(Simulation.QUEUE, command).whenComplete((result, failure) -> {
				if (failure != null || result.isDone()) {
					this.run.count("pauses and gates");
					this.run.note(instance + " has set " + what + " to '" + command.argument() + "'"
							+ ((failure != null) ? ": " + failure : ""));
				}
				this.run.history.commanded(what, this.run.now(), (failure == null) ? until : 0);
			});
		});
	}

}
