const NAMES: Readonly<Record<string, string>> = {
  senja: 'Senja',
  testimonial_to: 'Testimonial.to',
  'testimonial.to': 'Testimonial.to',
  google: 'Google',
  trustpilot: 'Trustpilot',
  typeform: 'Typeform',
  delighted: 'Delighted',
  earshot: 'Earshot',
  csv: 'CSV file',
  g2: 'G2',
  capterra: 'Capterra',
  linkedin: 'LinkedIn',
  x: 'X',
  twitter: 'Twitter',
  facebook: 'Facebook',
  product_hunt: 'Product Hunt',
  producthunt: 'Product Hunt',
  app_store: 'App Store',
  play_store: 'Google Play',
}

/** Where somebody's words were first published, such as "Trustpilot" for `trustpilot`. Other names are shown as they are. */
export function providerName(provider: string): string {
  return NAMES[provider.toLowerCase()] ?? provider
}
