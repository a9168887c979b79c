package io.redelay.autoconfigure;

import io.redelay.queue.admin.BulkJobAdmin;
import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.HandlerAdmin;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueControl;
import io.redelay.queue.admin.QueueInspector;
import io.redelay.queue.admin.QueueLimitAdmin;
import io.redelay.queue.admin.TopicAdmin;

import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * The themes of the {@link QueueAdmin} as beans, for code that needs one of them.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSingleCandidate(value = QueueAdmin.class, search = SearchStrategy.CURRENT)
class QueueAdminThemesConfiguration {

	@Bean
	@Lazy
	MessageAdmin queueMessageAdmin(QueueAdmin admin) {
		return admin.messages();
	}

	@Bean
	@Lazy
	DeadLetterAdmin queueDeadLetterAdmin(QueueAdmin admin) {
		return admin.deadLetters();
	}

	@Bean
	@Lazy
	BulkJobAdmin queueBulkJobAdmin(QueueAdmin admin) {
		return admin.jobs();
	}

	@Bean
	@Lazy
	TopicAdmin queueTopicAdmin(QueueAdmin admin) {
		return admin.topics();
	}

	@Bean
	@Lazy
	QueueInspector queueInspector(QueueAdmin admin) {
		return admin.queues();
	}

	@Bean
	@Lazy
	QueueControl queueControl(QueueAdmin admin) {
		return admin.control();
	}

	@Bean
	@Lazy
	HandlerAdmin queueHandlerAdmin(QueueAdmin admin) {
		return admin.handlers();
	}

	@Bean
	@Lazy
	QueueLimitAdmin queueLimitAdmin(QueueAdmin admin) {
		return admin.limits();
	}

}
