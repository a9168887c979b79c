package io.redelay.queue.deadletter;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.DeathReason;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.message.Uids;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CommandBatcher;
import io.redelay.queue.script.admin.RedrivableScript;
import io.redelay.queue.script.admin.RedriveTurnScript;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Redrives the dead messages of a queue by its rule, in steps of bounded size, while this
 * instance has the turn. The round of a message is stored with the message, and a script
 * begins each round once. So no other state has to be kept, and another instance can
 * continue wherever this one dies.
 * <p>
 * Reads the dead messages in the order of their deaths, and does not return to those that
 * it has passed over until it reads all of them again. Used by one thread at a time.
 */
final class RedriveRounds {

	/**
	 * How many dead messages a step looks at, at least.
	 */
	private static final int LEAST_PAGE = 50;

	/**
	 * After what time all are read again. A message that was passed over because another
	 * one had its id may be redriven then, and a partition may have gone back in time by
	 * itself.
	 */
	private static final Duration ALL_AGAIN = Duration.ofHours(1);

	/**
	 * The longest time between two looks of an instance without the turn: the one that
	 * has it may release it before its lease is over.
	 */
	private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

	/**
	 * The shortest time between two passes, so that messages that become due one after
	 * the other are redriven together.
	 */
	static final Duration LEAST_PAUSE = Duration.ofMillis(100);

	/**
	 * The order in which the store lists deaths.
	 */
	private static final Comparator<RedrivableScript.Death> ORDER = Comparator.comparing(RedrivableScript.Death::at)
		.thenComparing(RedrivableScript.Death::uid);

	private final RedriveRule rule;

	private final Supplier<List<String>> partitions;

	private final AdminScripts store;

	private final Scheduler clock;

	private final RedriveTurn turn;

	private final RedriveTally tally;

	/**
	 * The longest time between two requests that renew the turn.
	 */
	private final Duration pulse;

	private final Duration idlePause;

	private final Uids uids = new Uids();

	private final Map<String, CommandBatcher> commands = new HashMap<>();

	/**
	 * The last message that was passed over, by partition.
	 */
	private final Map<String, RedrivableScript.Death> passed = new HashMap<>();

	/**
	 * The last message to die of all that were passed over, by partition.
	 */
	private final Map<String, RedrivableScript.Death> met = new HashMap<>();

	/**
	 * The index of the partition that is being read.
	 */
	private int partition;

	/**
	 * When the first message died that was not dead for long enough, over all partitions.
	 */
	private @Nullable Instant following;

	/**
	 * The times for the next request to store: when a message is due next, and when the
	 * last one died that stays dead.
	 */
	private @Nullable Instant next;

	private @Nullable Instant stayed;

	private volatile boolean idle;

	private long begunNanos;

	private long notBeforeNanos;

	/**
	 * Creates rounds that have not begun.
	 * @param queue the queue
	 * @param rule its rule
	 * @param partitions returns the names that the store has for its partitions
	 * @param lease how long another instance keeps the turn after its last request
	 * @param runtime the parts that all containers share
	 */
	RedriveRounds(String queue, RedriveRule rule, Supplier<List<String>> partitions, Duration lease,
			DeadLetterRuntime runtime) {
		this.rule = rule;
		this.partitions = partitions;
		this.store = runtime.store();
		this.clock = runtime.scheduler();
		this.pulse = lease.dividedBy(3);
		this.idlePause = runtime.safetyPoll().interval();
		this.tally = new RedriveTally(queue, rule, this.clock);
		this.turn = new RedriveTurn(queue, lease,
				(rule.delay() != null) ? rule.delay().toString() : rule.cron() + " " + rule.zone(),
				new RedriveTurnScript(this.store.runner()));
	}

	/**
	 * Returns whether all due messages are redriven, and the next step waits for others.
	 */
	boolean isIdle() {
		return this.idle;
	}

	/**
	 * Does the next step.
	 * @return how long until the one after it
	 */
	Duration step() {
		this.idle = false;
		RedriveTurn.Renewal renewal = this.turn.take(this.next, this.stayed);
		this.next = null;
		this.stayed = null;
		RedriveTurnScript.Turn now = renewal.turn();
		if (!now.held()) {
			this.tally.log();
			return shorter(LOOK_AGAIN,
					Duration.between(now.time(), Objects.requireNonNullElse(now.until(), now.time())));
		}
		long nanos = this.clock.nanoTime();
		if (!renewal.continued()) {
			this.notBeforeNanos = nanos;
			begin(true);
		}
		else if (nanos - this.begunNanos >= ALL_AGAIN.toNanos() && this.partition == 0) {
			begin(false);
		}
		if (this.rule.cron() != null && (now.next() == null || now.next().isAfter(now.time()))) {
			return untilNext(now);
		}
		return (this.notBeforeNanos - nanos > 0) ? pause() : redrive(now);
	}

	CompletableFuture<?> giveUp() {
		this.tally.log();
		return this.turn.giveUp();
	}

	/**
	 * Starts to read all dead messages from the beginning.
	 * @param first whether this instance did not do so before
	 */
	private void begin(boolean first) {
		this.passed.clear();
		this.partition = 0;
		this.following = null;
		this.begunNanos = this.clock.nanoTime();
		if (first) {
			this.met.clear();
		}
	}

	private Duration untilNext(RedriveTurnScript.Turn now) {
		Instant next = now.next();
		if (next == null) {
			next = this.rule.next(now.time());
			this.turn.take(next, null);
		}
		return (next != null) ? shorter(this.pulse, Duration.between(now.time(), next)) : this.pulse;
	}

	private Duration redrive(RedriveTurnScript.Turn now) {
		List<String> all = this.partitions.get();
		String name = all.get(Math.min(this.partition, all.size() - 1));
		int size = (int) Math.max(1, Math.min(AdminScripts.MAX_PAGE, this.rule.perSecond() / 2));
		RedrivableScript.Page page = DeadLetterForwarder.await(new RedrivableScript(this.store).run(name,
				this.passed.get(name), Objects.requireNonNullElse(this.rule.delay(), Duration.ZERO),
				(this.rule.cron() != null) ? now.next() : null, Math.max(LEAST_PAGE, size)));
		long before = this.clock.nanoTime();
		boolean seenAll = redrive(name, page.deaths(), size, before);
		this.tally.logAfterPause();
		if (!seenAll || page.hasNext()) {
			return pause();
		}
		note(page.following());
		this.partition++;
		return (this.partition < all.size()) ? pause() : passed(page.time());
	}

	private void note(@Nullable Instant died) {
		if (died != null && (this.following == null || died.isBefore(this.following))) {
			this.following = died;
		}
	}

	/**
	 * Ends a pass: all messages that were dead for long enough are read.
	 */
	private Duration passed(Instant time) {
		Instant first = this.following;
		this.tally.log();
		this.partition = 0;
		this.following = null;
		if (this.rule.cron() != null) {
			Instant at = this.rule.next(time);
			this.turn.take(at, this.stayed);
			return (at != null) ? shorter(this.pulse, Duration.between(time, at)) : this.pulse;
		}
		Duration most = shorter(this.pulse, this.idlePause);
		Instant due = (first != null) ? this.rule.next(first) : null;
		this.next = Objects.requireNonNullElse(due, Instant.EPOCH);
		this.idle = true;
		Duration pause = (due != null) ? shorter(most, Duration.between(time, due)) : most;
		return (pause.compareTo(LEAST_PAUSE) > 0) ? pause : LEAST_PAUSE;
	}

	/**
	 * Redrives the chosen messages of a page.
	 * @param most how many at most
	 * @return whether no message of the page is left over
	 */
	private boolean redrive(String name, List<RedrivableScript.Death> page, int most, long before) {
		List<RedrivableScript.Death> chosen = new ArrayList<>();
		List<RedrivableScript.Death> looked = new ArrayList<>();
		for (RedrivableScript.Death death : page) {
			boolean isChosen = chooses(death);
			if (isChosen && chosen.size() == most) {
				break;
			}
			looked.add(death);
			if (isChosen) {
				chosen.add(death);
			}
		}
		boolean seenAll = looked.size() == page.size();
		looked.removeAll(redriven(name, chosen));
		if (!looked.isEmpty()) {
			looked.forEach((death) -> passOver(name, death));
			this.passed.put(name, looked.get(looked.size() - 1));
		}
		this.notBeforeNanos = before + (long) (chosen.size() * 1e9 / this.rule.perSecond());
		return seenAll;
	}

	private boolean chooses(RedrivableScript.Death death) {
		return isOfReason(death) && death.rounds() != null && death.rounds() < this.rule.rounds();
	}

	private boolean isOfReason(RedrivableScript.Death death) {
		return this.rule.reasons().stream().map(DeathReason::name).anyMatch((name) -> name.equals(death.reason()));
	}

	/**
	 * Counts a message that stays, unless this instance met it before.
	 */
	private void passOver(String name, RedrivableScript.Death death) {
		RedrivableScript.Death last = this.met.get(name);
		if (last != null && ORDER.compare(death, last) <= 0) {
			return;
		}
		this.met.put(name, death);
		if (isOfReason(death) && death.rounds() != null && death.rounds() >= this.rule.rounds()) {
			this.tally.stays();
			this.stayed = death.at();
		}
	}

	/**
	 * Begins the next round of messages.
	 * @return the messages that are not dead any more
	 */
	private List<RedrivableScript.Death> redriven(String name, List<RedrivableScript.Death> chosen) {
		if (chosen.isEmpty()) {
			return List.of();
		}
		CommandBatcher batcher = this.commands.computeIfAbsent(name, (each) -> this.store.steer().batcher(each));
		List<CommandReply.Result> results = DeadLetterForwarder
			.await(batcher.send(chosen.stream().map(this::command).toList()));
		List<RedrivableScript.Death> redriven = new ArrayList<>();
		for (int i = 0; i < chosen.size(); i++) {
			if (results.get(i).isDone()) {
				redriven.add(chosen.get(i));
				this.tally.redriven(round(chosen.get(i)));
			}
		}
		return redriven;
	}

	private MessageCommand command(RedrivableScript.Death death) {
		return new MessageCommand(MessageCommand.Action.ROUND, death.uid(), Integer.toString(round(death)),
				this.uids.next());
	}

	private static int round(RedrivableScript.Death death) {
		return Objects.requireNonNullElse(death.rounds(), 0) + 1;
	}

	/**
	 * Returns how long until the next step, to keep the rate and the turn.
	 */
	private Duration pause() {
		long left = this.notBeforeNanos - this.clock.nanoTime();
		return (left > 0) ? shorter(this.pulse, Duration.ofNanos(left)) : Duration.ZERO;
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

}
