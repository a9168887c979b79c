package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.redelay.log.PlainLog;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.QueueNames;
import io.redelay.queue.script.admin.QueueRound;
import io.redelay.scheduling.RegularTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Packs messages of a server that are due after the horizon of their queue, and brings
 * packed ones near ahead of their time: half the horizon before. Does nothing before it
 * is started.
 * <p>
 * An instance packs the queues that it listens to, and those for which it has a horizon
 * of its own. If that is 0, it brings all that is packed there near instead. One instance
 * at a time has the turn for a queue. So instances with different horizons do not move
 * the same messages back and forth.
 * <p>
 * Any instance brings near what is packed in any queue, one at a time; two that do so at
 * once only work in vain. Besides, each looks at a queue from which it claims.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class FarSweeper implements AutoCloseable {

	/**
	 * How often an instance looks for packed messages that are to come near.
	 */
	public static final Duration INTERVAL = Duration.ofSeconds(10);

	/**
	 * Every how many intervals one instance looks at all queues for packed messages: the
	 * list of the queues that have some may have gone back in time.
	 */
	private static final int SEARCH = 60;

	private static final Duration FIRST_LOOK = Duration.ofSeconds(1);

	/**
	 * For how many intervals an instance has the turn to bring messages near.
	 */
	private static final int TURN = 3;

	/**
	 * In how many queues messages are brought near at once.
	 */
	private static final int AT_ONCE = 4;

	private static final Log logger = PlainLog.of(FarSweeper.class);

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	private final AdminScripts scripts;

	private final QueueNames names;

	private final FarTurns turns;

	private final FarMover mover;

	private final List<QueueRound> moving;

	private final FarPacker packer;

	private final QueueRound searching;

	private final RegularTask first;

	private final List<RegularTask> regular;

	private volatile boolean closed;

	/**
	 * Creates a sweeper.
	 * @param scripts the store
	 * @param settings which messages are packed
	 * @param own gives the queues whose messages this instance packs, as the store knows
	 * them, see {@link FarSettings#own}
	 * @param owner the name of this instance in the store
	 * @param scheduler when to look, and threads to unpack on
	 * @param interval how often, usually {@link #INTERVAL}: 10 seconds
	 */
	public FarSweeper(AdminScripts scripts, FarSettings settings, Supplier<CompletableFuture<List<String>>> own,
			String owner, Scheduler scheduler, Duration interval) {
		this.scripts = scripts;
		this.names = scripts.names();
		this.turns = new FarTurns(this.names, scheduler, owner, interval);
		FarMoves moves = new FarMoves(scheduler);
		this.mover = new FarMover(scripts, moves, interval);
		this.packer = new FarPacker(scripts, settings, own, this.turns, moves, this.mover);
		this.moving = Stream
			.generate(() -> new QueueRound(scheduler,
					(failed) -> logger.warn("Packed messages were not brought near in " + failed)))
			.limit(AT_ONCE)
			.toList();
		this.searching = new QueueRound(scheduler,
				(failed) -> logger.warn("Packed messages were not looked for in " + failed));
		this.first = new RegularTask(scheduler, FIRST_LOOK, this::firstSweep,
				(failure) -> this.moving.get(0).failed("any queue", failure));
		this.regular = List.of(
				new RegularTask(scheduler, interval, this::bringNear,
						(failure) -> this.moving.get(0).failed("any queue", failure)),
				new RegularTask(scheduler, interval.multipliedBy(SEARCH), this::search,
						(failure) -> this.searching.failed("any queue", failure)));
	}

	/**
	 * Begins to look, unless it does already.
	 */
	public void start() {
		this.regular.forEach(RegularTask::start);
		this.packer.start();
		// Messages may have become due while no instance ran.
		this.first.start();
	}

	private CompletableFuture<Void> firstSweep() {
		this.first.close();
		return bringNear();
	}

	@Override
	public void close() {
		this.closed = true;
		this.first.close();
		this.regular.forEach(RegularTask::close);
		this.packer.close();
	}

	/**
	 * Called for each claim that finds out that messages of its queue are packed: if they
	 * are due soon, they come near now. So they are not late if no instance ran at their
	 * time, if the clock of Redis was set, or if the list of such queues has gone back in
	 * time.
	 * @param queue the queue, as the store knows it
	 * @param time the clock of the server
	 */
	public void claimed(String queue, Instant time) {
		if (!this.closed) {
			this.mover.claimed(queue, time, () -> turnNear(queue));
		}
	}

	/**
	 * Brings near what is due soon in all queues.
	 * @return a future that completes when it was done or failed for each
	 */
	CompletableFuture<Void> bringNear() {
		return this.names.far().thenCompose((queues) -> queues.isEmpty() ? DONE : bringNear(queues));
	}

	private CompletableFuture<Void> bringNear(Set<String> queues) {
		FarTurn turn = this.turns.of("near", TURN);
		return turn.isOwn().thenCompose((own) -> {
			if (!own) {
				return DONE;
			}
			List<CompletableFuture<Void>> rounds = new ArrayList<>();
			for (int i = 0; i < AT_ONCE; i++) {
				int part = i;
				// The turn is for all of them; what prolongs it may do so twice.
				rounds.add(this.moving.get(part)
					.go(queues.stream().filter((queue) -> Math.floorMod(queue.hashCode(), AT_ONCE) == part).toList(),
							(queue) -> turn.isOwn()
								.thenCompose((still) -> still ? this.mover.bringNear(queue, turnNear(queue)::isOwn)
										: DONE)));
			}
			return CompletableFuture.allOf(rounds.toArray(CompletableFuture[]::new));
		});
	}

	/**
	 * So that those that claim from a queue do not all bring the same messages near.
	 */
	private FarTurn turnNear(String queue) {
		return this.turns.of("near:" + queue, 1);
	}

	CompletableFuture<Void> bringNear(String queue) {
		return this.mover.bringNear(queue, () -> CompletableFuture.completedFuture(true));
	}

	CompletableFuture<Void> bringAllNear(String queue) {
		return this.mover.bringAllNear(queue, () -> CompletableFuture.completedFuture(true), () -> false);
	}

	CompletableFuture<Void> pack(String queue) {
		return this.packer.pack(queue);
	}

	/**
	 * Looks for packed messages in all queues, and registers those that have some.
	 */
	CompletableFuture<Void> search() {
		return this.turns.of("search-far", SEARCH - 1)
			.isOwn()
			.thenCompose((own) -> !own ? DONE
					: this.names.queues()
						.thenCompose((queues) -> this.searching.go(queues,
								(queue) -> this.scripts.far()
									.hasAny(queue)
									.thenCompose((any) -> any ? this.names.registerFar(queue) : DONE))));
	}

}
