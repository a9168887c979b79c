package io.redelay.queue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Keeps which instance redrives the dead messages of a queue by its rule, and lists these
 * messages.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked, and
 * fail with a {@link StoreException}.
 *
 * @since 0.1.0
 */
public interface RedriveStore {

	/**
	 * Takes the turn, unless another instance has it, or renews its lease.
	 * @param queue the queue
	 * @param request the instance that takes it, and what it records
	 * @return whether it was taken
	 */
	CompletableFuture<Turn> take(String queue, TurnRequest request);

	/**
	 * Looks at the turn.
	 * @param queue the queue
	 * @return what is known of it
	 */
	CompletableFuture<TurnLook> look(String queue);

	/**
	 * Lists dead messages, the first one to die first. Where they are large, it ends
	 * before the last one.
	 * @param queue the queue
	 * @param behind the message behind which to begin, or {@code null} for the first one
	 * @param deadFor for how long they have been dead at least
	 * @param until by when they have died, or {@code null} for any time
	 * @param count how many to list, at most {@link QueueAdminStore#MAX_PAGE}
	 * @return what is known of them
	 */
	CompletableFuture<Deaths> deaths(String queue, @Nullable Death behind, Duration deadFor, @Nullable Instant until,
			int count);

	/**
	 * A request of an instance to take the turn.
	 *
	 * @param owner the instance, by a name that was never used before
	 * @param lease how long the turn is its own, zero to give it up
	 * @param number the number of the request, larger than earlier ones of the owner
	 * @param plan the source of the times of the rule: another plan forgets the next time
	 * @param next the next time of the rule, if it is to be kept; {@link Instant#EPOCH}
	 * if there is none
	 * @param stayed when the last of the messages died that stay after their last round,
	 * if that is to be kept
	 */
	record TurnRequest(String owner, Duration lease, long number, String plan, @Nullable Instant next,
			@Nullable Instant stayed) {

	}

	/**
	 * The state of the turn.
	 *
	 * @param held whether an instance has it
	 * @param next the next time of the rule, if it is known
	 * @param stayed when the last of the messages died that stay after their last round,
	 * if there was one
	 */
	record TurnLook(boolean held, @Nullable Instant next, @Nullable Instant stayed) {

	}

	/**
	 * Whether an instance has the turn.
	 *
	 * @param held whether it does
	 * @param time when, by the clock of the store
	 * @param next the next time of the rule that is kept, if one is
	 * @param before the number of its previous request, if it had the turn then
	 * @param until when the lease of the instance that has the turn is over, if that is
	 * another one
	 */
	record Turn(boolean held, Instant time, @Nullable Instant next, @Nullable Long before, @Nullable Instant until) {

	}

	/**
	 * Some of the dead messages.
	 *
	 * @param time when they were looked for, by the clock of the store
	 * @param deaths the messages, the first one to die first
	 * @param hasNext whether there are more of them
	 * @param following when the first one died that has not been dead for long enough, if
	 * there is one and there are no more
	 */
	record Deaths(Instant time, List<Death> deaths, boolean hasNext, @Nullable Instant following) {

	}

	/**
	 * A dead message.
	 *
	 * @param uid its uid
	 * @param at when it died
	 * @param reason their cause of death, if known
	 * @param rounds in how many rounds it was redriven; {@code null} if they cannot be
	 * counted
	 */
	record Death(String uid, Instant at, @Nullable String reason, @Nullable Integer rounds) {

	}

}
