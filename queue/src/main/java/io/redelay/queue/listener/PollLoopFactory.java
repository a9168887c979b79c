package io.redelay.queue.listener;

import java.util.List;

import io.redelay.scheduling.SafetyPoll;
import org.jspecify.annotations.Nullable;

/**
 * Creates the claim loops of a container that starts.
 */
final class PollLoopFactory {

	private final ContainerSettings settings;

	private final LoopResources resources;

	private final SafetyPoll safetyPoll;

	private final Capacity capacity;

	private final DeliveryDispatcher dispatcher;

	PollLoopFactory(ContainerSettings settings, LoopResources resources, SafetyPoll safetyPoll, Capacity capacity,
			DeliveryDispatcher dispatcher) {
		this.settings = settings;
		this.resources = resources;
		this.safetyPoll = safetyPoll;
		this.capacity = capacity;
		this.dispatcher = dispatcher;
	}

	/**
	 * Creates the loops on one queue.
	 * @param context the context of the queue's messages
	 * @param queue the settings of the queue
	 * @return one loop, followed by one that helps it while handlers run side by side.
	 * There is no helping loop for batches, for limited claims, or for receivers, which
	 * wait for the first message of the queue
	 */
	List<PollLoop> create(DeliveryContext context, ContainerSettings.QueueSettings queue) {
		if (this.settings.batchSize() > 1 || queue.limits().isLimited() || this.dispatcher instanceof ReceiveRequests) {
			return List.of(create(context, queue, leading(), null));
		}
		PollLoop help = create(context, queue, new HelpingTrigger(), null);
		return List.of(create(context, queue, leading(), help), help);
	}

	private LeadingTrigger leading() {
		return new LeadingTrigger(this.safetyPoll, this.resources.idle()::isUseful);
	}

	private PollLoop create(DeliveryContext context, ContainerSettings.QueueSettings queue, PollTrigger trigger,
			@Nullable PollLoop help) {
		return new PollLoop(context, queue, this.resources, this.capacity, this.dispatcher, trigger, help);
	}

}
