package io.redelay.queue.script;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.queue.message.Uids;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.wire.LuaScripts;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.WakeUpChannel;
import io.redelay.queue.wire.WakeUpSource;
import io.redelay.scheduling.Scheduler;
import org.redisson.api.RedissonClient;

/**
 * The scripts with which an instance claims from the queues of one server, and what these
 * share: the name of the instance, its lanes and its memory. One script is one verb; the
 * keys of a queue share a hash tag.
 * <p>
 * A request belongs to a lane, which numbers its requests from 1 and has one on the wire
 * at a time. A repeated number gets the same reply, so any request may be sent again,
 * which happens while no answer comes. A future that fails with
 * {@link io.redelay.queue.request.OutcomeUnknownException} gave up doing so, and its lane
 * must not be used again. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class QueueScripts implements AutoCloseable {

	private final String instance;

	private final AtomicLong lanes = new AtomicLong();

	private final ScriptRunner runner;

	private final WakeUpSource wakeUps;

	private final ReplayMemory replayMemory;

	private final RedisAvailability availability;

	private final ScriptListeners listeners;

	private final SendScripts sends;

	private final TopicScripts topics;

	private final InletScripts inlets;

	private final ClaimScript claim;

	/**
	 * Creates the scripts.
	 * @param redisson the client, which stays the caller's to shut down
	 * @param prefix the prefix of all keys
	 * @param resendFor how long a request is sent again while no answer comes
	 * @param timer when to send it again
	 * @param replayMemory the requests that are remembered in case Redis goes back in
	 * time
	 * @param availability notified of answers and failures; all scripts of a server share
	 * one
	 * @param listeners called because of requests and replies
	 */
	public QueueScripts(RedissonClient redisson, String prefix, Duration resendFor, ScheduledExecutorService timer,
			ReplayMemory replayMemory, RedisAvailability availability, ScriptListeners listeners) {
		this(new ScriptRunner(redisson, prefix, resendFor, Scheduler.of(timer, Runnable::run), LuaScripts.load(),
				availability),
				new WakeUpChannel(redisson, prefix + ":wake:", Uids.instance(), Scheduler.of(timer, Runnable::run)),
				Scheduler.of(timer, Runnable::run), replayMemory, availability, listeners);
	}

	/**
	 * Creates the scripts on what runs them.
	 */
	public QueueScripts(ScriptRunner runner, WakeUpSource wakeUps, Scheduler scheduler, ReplayMemory replayMemory,
			RedisAvailability availability, ScriptListeners listeners) {
		this.instance = wakeUps.instance();
		this.runner = runner;
		this.wakeUps = wakeUps;
		this.replayMemory = replayMemory;
		this.availability = availability;
		this.listeners = listeners;
		this.claim = new ClaimScript(runner, wakeUps.prefix(), listeners);
		SendingContext context = new SendingContext(runner, new ExpiryAnnouncements(runner, scheduler, replayMemory),
				wakeUps::prefix, this::newLane, replayMemory, listeners::observers, listeners.maintenance());
		this.sends = new SendScripts(context, listeners.ticksDropped());
		this.topics = TopicScripts.of(context);
		this.inlets = new InletScripts(context, this.sends);
	}

	/**
	 * Lets threads that wait for the result of a send make its request themselves, on
	 * connections of their own.
	 * @param connections on how many at most
	 */
	public void useCallers(int connections) {
		this.runner.useCallers(connections);
	}

	/**
	 * Returns the name of this instance, new with each start.
	 * @return the name, with which the names of its lanes begin
	 */
	public String instance() {
		return this.instance;
	}

	/**
	 * Creates a name for a lane that no lane ever had.
	 * @return the name
	 */
	public String newLane() {
		return this.instance + "." + Long.toString(this.lanes.incrementAndGet(), Character.MAX_RADIX);
	}

	/**
	 * Returns the availability of the server.
	 * @return what the requests show
	 */
	public RedisAvailability availability() {
		return this.availability;
	}

	/**
	 * Returns the memory of the requests that were answered, in case Redis goes back in
	 * time.
	 * @return the memory that all lanes share
	 */
	public ReplayMemory replayMemory() {
		return this.replayMemory;
	}

	/**
	 * Returns where notices about the lanes of this instance come from.
	 * @return the source
	 */
	public WakeUpSource wakeUps() {
		return this.wakeUps;
	}

	/**
	 * Stops resending requests, as the application is closing: requests that wait to be
	 * resent fail, so that no caller waits for ever. The client stays open.
	 */
	@Override
	public void close() {
		this.runner.close();
	}

	/**
	 * Returns what runs a script, for those of one room.
	 * @return the runner
	 */
	public ScriptRunner runner() {
		return this.runner;
	}

	ScriptListeners listeners() {
		return this.listeners;
	}

	/**
	 * Finds out whether the user of the connection has the rights that the scripts need.
	 * @return each command that the user may not use, or not on the keys and channels of
	 * queues, with the error of Redis
	 */
	public CompletableFuture<List<String>> findRefusals() {
		return this.runner.runOnKey(Script.PERMISSIONS, "permissions", "Finding out what the user may do",
				ReplyReader::texts, this.wakeUps.prefix());
	}

	public NameLists names() {
		return new NameLists(this.runner);
	}

	public ClaimScript claim() {
		return this.claim;
	}

	/**
	 * Returns the scripts that send messages.
	 * @return the scripts
	 */
	public SendScripts sends() {
		return this.sends;
	}

	/**
	 * Returns the scripts of the topics, whose groups have queues of this server.
	 * @return the scripts
	 */
	public TopicScripts topics() {
		return this.topics;
	}

	/**
	 * Returns the scripts of the inlets of queues of this server.
	 * @return the scripts
	 */
	public InletScripts inlets() {
		return this.inlets;
	}

}
