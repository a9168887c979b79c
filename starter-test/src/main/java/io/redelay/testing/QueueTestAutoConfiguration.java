package io.redelay.testing;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.queue.admin.QueueAdmin;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the beans with which tests look at queues.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = QueueAutoConfiguration.class)
@ConditionalOnBean(QueueAdmin.class)
public final class QueueTestAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	SentMessages sentMessages() {
		return new SentMessages();
	}

	@Bean
	SendRecorder sendRecorder(SentMessages sent) {
		return new SendRecorder(sent);
	}

	@Bean
	@ConditionalOnMissingBean
	QueueTester queueTester(QueueAdmin admin, SentMessages sent) {
		return new QueueTester(admin, sent);
	}

}
