package io.redelay.docs.recipes;

import io.redelay.queue.DeathReason;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.work.DeliveryInfo;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

@Component
class DeadLetterAlarm implements MessageRetryListener {

	private final Pager pager;

	DeadLetterAlarm(Pager pager) {
		this.pager = pager;
	}

	@Override
	public void onDead(DeliveryInfo message, DeathReason reason, @Nullable Throwable failure) {
		this.pager.page("%s of %s is dead (%s): %s".formatted(message.id(), message.queue(), reason, failure));
	}

}
