package io.redelay.autoconfigure;

import io.redelay.queue.PayloadMasker;
import io.redelay.queue.listener.GlobalInterceptor;
import io.redelay.queue.logging.JsonPayloadMasker;
import io.redelay.queue.logging.MdcDeliveryInterceptor;
import io.redelay.queue.logging.MdcSendInterceptor;
import io.redelay.queue.logging.MessageLog;
import org.slf4j.MDC;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * The part of the queue's auto-configuration for logs: MDC entries and masked payloads.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ QueueLogProperties.class, QueueMdcProperties.class })
class QueueLoggingConfiguration {

	@Bean
	@Fallback
	@ConditionalOnMissingBean
	PayloadMasker redelayPayloadMasker(QueueLogProperties properties) {
		return new JsonPayloadMasker(properties.maskedFields(), properties.maxLength());
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	MessageLog redelayMessageLog(PayloadMasker masker) {
		return new MessageLog(masker);
	}

	/**
	 * Sets the MDC entries outside of all other interceptors.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MDC.class)
	@ConditionalOnBooleanProperty(name = "redelay.queue.mdc.enabled", matchIfMissing = true)
	static class MdcConfiguration {

		@Bean
		@Order(Ordered.HIGHEST_PRECEDENCE)
		MdcSendInterceptor redelayMdcSendInterceptor(QueueMdcProperties properties) {
			return new MdcSendInterceptor(properties.keys());
		}

		@Bean
		@GlobalInterceptor
		@Order(Ordered.HIGHEST_PRECEDENCE)
		MdcDeliveryInterceptor redelayMdcDeliveryInterceptor(QueueMdcProperties properties) {
			return new MdcDeliveryInterceptor(properties.keys());
		}

	}

}
