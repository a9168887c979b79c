package io.redelay.samples.shop.mail;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * How good the mail server is.
 *
 * @param failureRate which part of all mails fails, from 0 to 1
 * @param latency how long it takes to mail
 */
@ConfigurationProperties("shop.mailer")
record MailerProperties(double failureRate, Duration latency) {

}
