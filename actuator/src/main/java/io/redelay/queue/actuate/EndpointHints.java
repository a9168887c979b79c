package io.redelay.queue.actuate;

import io.redelay.lock.LockInfo;
import io.redelay.queue.admin.DeadLetterCauses;
import io.redelay.queue.admin.HandlerStack;
import io.redelay.queue.admin.HistoryMark;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueCalendar;
import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.RunningHandler;
import io.redelay.queue.admin.TopicGroupInfo;
import io.redelay.queue.admin.TopicInfo;
import io.redelay.queue.admin.WaitingKeys;
import io.redelay.queue.recurring.RecurringInfo;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/**
 * Lets a native image write the responses of the endpoints as JSON, and serve the files
 * of the page. The parameters of requests are text, which takes no hint.
 *
 * @since 0.1.0
 */
public final class EndpointHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		BindingReflectionHintsRegistrar json = new BindingReflectionHintsRegistrar();
		json.registerReflectionHints(hints.reflection(), QueueList.class, QueueDetail.class, StatusView.class,
				MessageList.class, JobView.class, CommandView.class, ErrorView.class);
		// RecordView reads the components of these.
		json.registerReflectionHints(hints.reflection(), QueueDiagnosis.class, QueueCalendar.class, WaitingKeys.class,
				DeadLetterCauses.class, InstanceInfo.class, TopicInfo.class, TopicGroupInfo.class, RecurringInfo.class,
				MessageFilter.class, RunningHandler.class, HandlerStack.class, HistoryMark.class);
		if (ClassUtils.isPresent("io.redelay.lock.LockInfo", classLoader)) {
			json.registerReflectionHints(hints.reflection(), LockInfo.class);
		}
		hints.resources().registerPattern("io/redelay/queue/actuate/dashboard/*");
	}

}
