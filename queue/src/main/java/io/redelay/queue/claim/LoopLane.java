package io.redelay.queue.claim;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.DeliveryContext;
import io.redelay.queue.notes.NotesWriter;
import io.redelay.queue.script.IsCancelledScript;

/**
 * The lane of a claim loop, and what happens on it beside claims.
 *
 * @param lane the lane
 * @param cancellations finds held messages that were cancelled
 * @param renewer renews the lane
 * @param notes writes the notes of handlers
 */
record LoopLane(ClaimLane lane, CancellationWatch cancellations, LaneRenewer renewer, NotesWriter notes) {

	/**
	 * Creates the parts of a loop that holds no messages.
	 * @param held returns the messages that the loop holds
	 * @param check runs when Redis may not know the lane any more
	 */
	static LoopLane of(ClaimLane lane, DeliveryContext context, Duration lease, ClaimRuntime claims,
			Supplier<List<Delivery>> held, Runnable check) {
		CancellationWatch cancellations = new CancellationWatch(context.partition(),
				new IsCancelledScript(claims.scripts().runner()), claims.scheduler(), held);
		LaneRenewer renewer = new LaneRenewer(lane, lease, claims.scheduler(), check, cancellations);
		NotesWriter notes = new NotesWriter(context.listener(), claims.work(), lease, lane::keepWork, renewer::renewed,
				claims.scheduler(), check);
		return new LoopLane(lane, cancellations, renewer, notes);
	}

}
