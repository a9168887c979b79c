package io.redelay.autoconfigure;

import io.redelay.queue.QueueOperations;
import io.redelay.queue.ReactiveQueueOperations;
import io.redelay.queue.idempotency.ReactiveIdempotencyTemplate;
import io.redelay.queue.send.ReactiveQueueTemplate;
import io.redelay.queue.work.Idempotency;
import io.redelay.queue.work.ReactiveIdempotency;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for {@link ReactiveQueueOperations} and {@link ReactiveIdempotency},
 * where Reactor is on the class path.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = QueueAutoConfiguration.class)
@ConditionalOnClass({ Mono.class, QueueOperations.class })
public final class ReactiveQueueAutoConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean(value = ReactiveQueueOperations.class, search = SearchStrategy.CURRENT)
	@ConditionalOnSingleCandidate(QueueOperations.class)
	ReactiveQueueTemplate reactiveQueueTemplate(QueueOperations operations) {
		return new ReactiveQueueTemplate(operations);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean(value = ReactiveIdempotency.class, search = SearchStrategy.CURRENT)
	@ConditionalOnSingleCandidate(value = Idempotency.class, search = SearchStrategy.CURRENT)
	ReactiveIdempotencyTemplate reactiveIdempotencyTemplate(Idempotency idempotency) {
		return new ReactiveIdempotencyTemplate(idempotency);
	}

}
