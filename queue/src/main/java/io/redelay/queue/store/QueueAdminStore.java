package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageState;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.measure.CountsWriter;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes the content of queues. Each verb is one request that takes a bounded
 * time, and reads or moves a bounded number of bytes, however much a queue holds. A look
 * at messages or deaths that Redis does not answer in time is not repeated.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked, and
 * fail with a {@link StoreException}.
 *
 * @since 0.1.0
 */
public interface QueueAdminStore {

	/**
	 * How many messages one request shows at most.
	 */
	int MAX_PAGE = 500;

	/**
	 * Returns the names of all queues that were ever used and not deleted since.
	 * @return the names
	 */
	CompletableFuture<Set<String>> queues();

	/**
	 * Returns the queues that have several partitions.
	 * @return the known layouts, by queue
	 */
	CompletableFuture<Map<String, PartitionLayout>> layouts();

	/**
	 * Records that a queue has more partitions, unless it has as many. The number over
	 * which keys are spread is recorded only if the queue had one partition so far.
	 * @param queue the queue
	 * @param layout how many it has, and over how many keys are spread
	 * @return the layouts of all queues after that
	 */
	CompletableFuture<Map<String, PartitionLayout>> raisePartitions(String queue, PartitionLayout layout);

	/**
	 * Records the number of partitions of a queue without messages.
	 * @param queue the queue
	 * @param layout how many it has, and over how many keys are spread;
	 * {@link PartitionLayout#SINGLE} to forget its layout
	 * @return the layouts of all queues after that
	 */
	CompletableFuture<Map<String, PartitionLayout>> setPartitions(String queue, PartitionLayout layout);

	/**
	 * Opens a lane on which each request is carried out once, however often it is sent.
	 * @param queue the queue
	 * @return the name of the lane
	 */
	CompletableFuture<String> openLane(String queue);

	/**
	 * Asks which request of a lane is the last one that is remembered.
	 * @param queue the queue
	 * @param lane the lane
	 * @return what is remembered
	 */
	CompletableFuture<SenderState> checkLane(String queue, String lane);

	/**
	 * Remembers the requests that were answered, in case the store goes back in time.
	 * @return the memory that all lanes share
	 */
	ReplayMemory replayMemory();

	/**
	 * Carries out commands, each by itself. Where the messages are large, the last
	 * commands are left for {@linkplain CommandResult.Outcome#LATER later}.
	 * @param queue the queue
	 * @param lane an open lane
	 * @param seq the number of the request in that lane, from 1
	 * @param commands the commands
	 * @return what became of each
	 */
	CompletableFuture<CommandReply> command(String queue, String lane, long seq, List<MessageCommand> commands);

	/**
	 * Removes entries of former messages from the lists of ready messages, one step.
	 * @param queue the queue
	 * @param from where to begin: 0, or the place that the last step returned
	 * @return where the next step begins, if this was not the last one
	 */
	CompletableFuture<OptionalLong> tidy(String queue, long from);

	/**
	 * Looks for messages. If they are large, it ends before the last one.
	 * @param queue the queue
	 * @param names their ids or uids, at most {@value #MAX_PAGE}
	 * @return the messages found, of the names that were gone through
	 */
	CompletableFuture<MessagePage> find(String queue, List<String> names);

	/**
	 * Shows messages that have a tag, each by its uid, the completed ones last. A message
	 * that gets another uid meanwhile may be missing. If they are large, it ends before
	 * the given count.
	 * @param queue the queue
	 * @param tag the tag
	 * @param from where to begin: {@code null} for the first one, or the place that the
	 * last step returned
	 * @param count how many to show, at most {@value #MAX_PAGE}
	 * @return the messages, and where the next ones begin
	 */
	CompletableFuture<TaggedMessages<StoredMessage>> tagged(String queue, String tag, @Nullable String from, int count);

	/**
	 * Returns the places of the messages that have a tag, without reading them.
	 * @param queue the queue
	 * @param tag the tag
	 * @param from where to begin: {@code null} for the first one, or the place that the
	 * last step returned
	 * @param count how many to return, at most {@value #MAX_PAGE}
	 * @return where they are, and where the next ones begin
	 */
	CompletableFuture<TaggedMessages<MessagePlace>> placesByTag(String queue, String tag, @Nullable String from,
			int count);

	/**
	 * Asks for the states and results of messages.
	 * @param queue the queue
	 * @param names their ids or uids, at most {@link #MAX_PAGE}
	 * @return what became of the first ones, in their order: of all, unless the reply
	 * would be too large
	 */
	CompletableFuture<List<MessageOutcome>> outcomes(String queue, List<String> names);

	/**
	 * Shows messages in a state. If they are large, it ends before the page is full.
	 * @param queue the queue
	 * @param state the state
	 * @param offset how many to pass over
	 * @param count how many to show, at most {@value #MAX_PAGE}
	 * @return the messages; the next ones are behind those that were gone through
	 */
	CompletableFuture<MessagePage> browse(String queue, MessageState state, long offset, int count);

	/**
	 * Goes through messages, one step: it ends after a number of messages, or before that
	 * where they are large.
	 * @param queue the queue
	 * @param request which ones, and where to go on
	 * @return what it met
	 */
	CompletableFuture<ScanReply> scan(String queue, ScanRequest request);

	/**
	 * Shows messages that wait although their time to live is over. Each must be
	 * {@linkplain MessageCommand.Action#EXPIRE expired} before the next ones are asked
	 * for.
	 * @param queue the queue
	 * @return the messages, if there is a next page or none
	 */
	CompletableFuture<MessagePage> expired(String queue);

	/**
	 * Returns the names of the queues to which messages with a time to live were ever
	 * sent.
	 * @return the names
	 */
	CompletableFuture<Set<String>> expiring();

	/**
	 * Lists the deaths of messages, the last one first, without reading their bodies. If
	 * their causes are long, it ends before the page is full.
	 * @param queue the queue
	 * @param offset how many to pass over
	 * @param count how many to list, at most {@value #MAX_PAGE}
	 * @return the deaths
	 */
	CompletableFuture<DeathPage> deaths(String queue, long offset, int count);

	/**
	 * Counts messages.
	 * @param queue the queue
	 * @return how many there are
	 */
	CompletableFuture<StoredCounts> count(String queue);

	/**
	 * Counts messages, and reads the state that shows why they wait.
	 * @param queue the queue
	 * @return what is seen
	 */
	CompletableFuture<StoredQueueState> look(String queue);

	/**
	 * Lists the keys of which messages wait, and asks what rates allow.
	 * @param queue the queue
	 * @param rates rates of the queue's listeners
	 * @return what is seen
	 */
	CompletableFuture<StoredKeys> keys(String queue, List<RateLimit> rates);

	/**
	 * Looks at a key to deduplicate by.
	 * @param queue the queue
	 * @param key the key
	 * @return the message that has it, for each way of deduplication
	 */
	CompletableFuture<List<StoredDedupKey>> dedupKey(String queue, String key);

	/**
	 * Checks a part of a queue, one step; changes nothing.
	 * @param queue the queue
	 * @param part the part
	 * @param from where to go on: {@code 0}, or the place that the step before returned
	 * @param count how many entries to look at, at most 1,000; of {@link CheckPart#HELD}
	 * and {@link CheckPart#CANCELLED} how many there may be
	 * @param uids which messages {@link CheckPart#PLACED} looks for, else none
	 * @return the findings
	 */
	CompletableFuture<CheckStep> check(String queue, CheckPart part, String from, int count, List<String> uids);

	/**
	 * Adds what an instance has counted to the history of a queue. A request that is made
	 * again counts once.
	 * @param queue the queue
	 * @param instance the instance, by its name in the store
	 * @param request the number of the request, larger than those before of the instance
	 * @param spans the counts and their times
	 * @return a future that completes when it is added
	 */
	CompletableFuture<Void> addCounts(String queue, String instance, long request, List<CountsWriter.Span> spans);

	/**
	 * Reads what was counted in the last 60 minutes.
	 * @param queue the queue
	 * @return the minutes that are known
	 */
	CompletableFuture<StoredHistory> history(String queue);

	/**
	 * Lists the lanes that consume from a queue.
	 * @param queue the queue
	 * @return at most 1,000 lanes
	 */
	CompletableFuture<List<StoredLane>> lanes(String queue);

	/**
	 * Removes messages.
	 * @param queue the queue
	 * @param lane an open lane
	 * @param seq the number of the request in that lane, from 1
	 * @param state their state; messages in flight cannot be removed
	 * @param most how many at most, up to 1,000
	 * @return what became of it
	 */
	CompletableFuture<PurgeReply> purge(String queue, String lane, long seq, MessageState state, int most);

	/**
	 * Removes the oldest dead messages, those beyond a number, an age or a size.
	 * @param queue the queue
	 * @param lane an open lane
	 * @param seq the number of the request in that lane, from 1
	 * @param maxCount how many may stay
	 * @param maxAge how old they may be
	 * @param maxBytes how large they may be together, {@link Long#MAX_VALUE} for any size
	 * @return what became of it
	 */
	CompletableFuture<TrimReply> trimDead(String queue, String lane, long seq, long maxCount, Duration maxAge,
			long maxBytes);

	/**
	 * Returns the jobs that give commands on many messages.
	 * @return the part of the store that keeps them
	 */
	JobStore jobs();

	/**
	 * Looks which recurring messages of a queue have not ended.
	 * @param queue the queue
	 * @return their names
	 */
	CompletableFuture<Set<String>> recurring(String queue);

	/**
	 * Returns the turns to redrive dead messages by rules.
	 * @return the part of the store that keeps them
	 * @throws UnsupportedOperationException if this store has none, as by default
	 */
	default RedriveStore redrives() {
		throw new UnsupportedOperationException("The store " + getClass().getName() + " has no rules of dead messages");
	}

	/**
	 * Returns the store of queue names, which forgets those of empty queues.
	 * @return the part of the store that forgets them
	 */
	NameStore names();

	/**
	 * Returns the listener to changes of queues and to moves of their messages.
	 * @return the listener; {@link MoveListener#NONE} if there is none
	 */
	MoveListener moves();

	/**
	 * Returns whether a queue has nothing for which its deletion would be refused.
	 * @param queue the queue
	 * @return whether {@link #delete} would delete it
	 */
	CompletableFuture<Boolean> isEmpty(String queue);

	/**
	 * Deletes a queue. If that is refused, the queue is as it was: no registry has lost
	 * its name.
	 * @param queue the queue
	 * @param evenIfNotEmpty whether to delete it although it has messages
	 * @return whether it was deleted
	 */
	CompletableFuture<Boolean> delete(String queue, boolean evenIfNotEmpty);

	/**
	 * Stores the description of an instance for other instances to read.
	 * @param instance its name in the store
	 * @param description the description; empty if the instance ends, so that it is
	 * forgotten
	 * @param ttl for how long it is kept
	 * @return a future that completes when it is stored
	 */
	CompletableFuture<Void> announce(String instance, String description, Duration ttl);

	/**
	 * Lists the instances that announce themselves.
	 * @return at most 1,000 instances
	 */
	CompletableFuture<List<StoredInstance>> instances();

	/**
	 * Reads the descriptions of instances.
	 * @param instances their names in the store
	 * @return the descriptions that there are, by name
	 */
	CompletableFuture<Map<String, String>> instances(Set<String> instances);

}
