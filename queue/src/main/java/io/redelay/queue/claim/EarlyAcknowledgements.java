package io.redelay.queue.claim;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.handle.Delivery;
import io.redelay.queue.message.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a loop that are acknowledged before they are handled. Knows of each
 * whether Redis has answered the acknowledgement, as its handler must not start before.
 * Also knows whether its handling has ended, as it keeps its room until then. Guarded by
 * the loop's lock.
 */
final class EarlyAcknowledgements {

	/**
	 * The acknowledgements that Redis has not answered, by uid.
	 */
	private final Map<String, CompletableFuture<Boolean>> unanswered = new HashMap<>();

	private final Set<Delivery> inHand = new HashSet<>();

	private final LoopStatus status;

	EarlyAcknowledgements(LoopStatus status) {
		this.status = status;
	}

	/**
	 * Adds a message whose acknowledgement is about to be sent.
	 * @return a future of whether the message is acknowledged
	 */
	CompletableFuture<Boolean> add(Delivery delivery) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		this.inHand.add(delivery);
		this.unanswered.put(delivery.uid(), answer);
		return answer;
	}

	/**
	 * Returns whether a message keeps its room although it is settled.
	 */
	boolean keepsRoom(Delivery delivery) {
		return this.inHand.contains(delivery);
	}

	/**
	 * Removes a message whose handling has ended.
	 * @return whether it has kept its room until now
	 */
	boolean ended(Delivery delivery) {
		return this.inHand.remove(delivery);
	}

	/**
	 * Returns the messages whose handling has not ended.
	 */
	List<Delivery> inHand() {
		return List.copyOf(this.inHand);
	}

	/**
	 * Returns whether no message is being handled.
	 */
	boolean isEmpty() {
		return this.inHand.isEmpty();
	}

	/**
	 * Records that Redis has carried out a request.
	 */
	void answered(List<Settlement> settlements, Collection<String> refused) {
		if (this.unanswered.isEmpty()) {
			return;
		}
		// A request may give a message back and bring it again; the next request
		// acknowledges it.
		settlements.stream()
			.filter(Settlement::isAcknowledgment)
			.forEach((settlement) -> complete(this.unanswered.remove(settlement.uid()),
					!refused.contains(settlement.uid())));
	}

	private void complete(@Nullable CompletableFuture<Boolean> answer, boolean acknowledged) {
		if (answer != null) {
			this.status.afterwards(() -> answer.complete(acknowledged));
		}
	}

	/**
	 * Replaces acknowledgements that another lane would have to repeat: as no handler has
	 * started, the messages can be given back instead.
	 */
	List<Settlement> giveBack(List<Settlement> settlements) {
		return settlements.stream()
			.map((settlement) -> this.unanswered.containsKey(settlement.uid())
					? Settlement.giveBack(settlement.uid(), settlement.claim(), Duration.ZERO) : settlement)
			.toList();
	}

	/**
	 * Records that the lane of the acknowledgements is gone.
	 */
	void laneGone() {
		this.unanswered.values().forEach((answer) -> complete(answer, false));
		this.unanswered.clear();
	}

}
