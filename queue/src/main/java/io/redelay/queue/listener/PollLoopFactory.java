package io.redelay.queue.listener;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Creates the claim loops of a container that starts.
 */
final class PollLoopFactory {

	private final ContainerSettings settings;

	private final ListenerRuntime runtime;

	private final Capacity capacity;

	private final DeliveryDispatcher dispatcher;

	PollLoopFactory(ContainerSettings settings, ListenerRuntime runtime, Capacity capacity,
			DeliveryDispatcher dispatcher) {
		this.settings = settings;
		this.runtime = runtime;
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
		return new LeadingTrigger(this.runtime.claims().safetyPoll(), this.runtime.claims().idle()::isUseful);
	}

	private PollLoop create(DeliveryContext context, ContainerSettings.QueueSettings queue, PollTrigger trigger,
			@Nullable PollLoop help) {
		return new PollLoop(context, queue, this.runtime, this.capacity, this.dispatcher, trigger, help);
	}

}
