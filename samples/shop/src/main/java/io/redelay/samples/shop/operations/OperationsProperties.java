package io.redelay.samples.shop.operations;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The passwords of those who see the management endpoints.
 *
 * @param viewerPassword the password of {@code viewer}, who sees everything but payloads
 * @param operatorPassword the password of {@code operator}, who acts on queues as well
 */
@ConfigurationProperties("shop.operations")
record OperationsProperties(String viewerPassword, String operatorPassword) {

}
