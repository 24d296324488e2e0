# A product with a server, which signs people in with OmniAuth: omniauth_product.rb ISSUER PORT CLIENT_ID CLIENT_SECRET

require "json"
require "rack"
require "omniauth_openid_connect"
require "rack/handler/webrick"

issuer, port, client_id, client_secret = ARGV
url = "http://localhost:#{port}"
SWD.url_builder = URI::HTTP # only for a trial without TLS
OmniAuth.config.logger = Logger.new(IO::NULL)
OmniAuth.config.allowed_request_methods = [:post]
OmniAuth.config.on_failure = lambda do |env|
  warn env["omniauth.error"].full_message(highlight: false)
  [500, {}, ["The login has failed"]]
end

# Returns a client of the library below OmniAuth, with a token.
def client_of(issuer, client_id, client_secret)
  config = OpenIDConnect::Discovery::Provider::Config.discover!(issuer)
  OpenIDConnect::Client.new(
    identifier: client_id,
    secret: client_secret,
    token_endpoint: config.token_endpoint,
    userinfo_endpoint: config.userinfo_endpoint,
  )
end

def show(values)
  html = "<!DOCTYPE html><link rel='icon' href='data:,'><pre>#{Rack::Utils.escape_html(JSON.generate(values))}</pre>"
  login = "<form method='post' action='/auth/openid_connect'><button>Log in</button></form>"
  [200, { "Content-Type" => "text/html; charset=utf-8" }, [html + login]]
end

product = lambda do |env|
  session = env["rack.session"]
  case env["PATH_INFO"]
  when "/auth/openid_connect/callback"
    auth = env["omniauth.auth"]
    session[:tokens] = { token: auth.credentials.token, refresh: auth.credentials.refresh_token }
    session[:info] = auth.info.to_h
    [303, { "Location" => "/" }, []]
  when "/refresh"
    client = client_of(issuer, client_id, client_secret)
    client.refresh_token = session[:tokens][:refresh]
    token = client.access_token!
    session[:tokens] = { token: token.access_token, refresh: token.refresh_token }
    session[:info] = token.userinfo!.raw_attributes
    [303, { "Location" => "/" }, []]
  else
    session[:tokens] ? show(**session[:info].transform_keys(&:to_sym), token: session[:tokens][:token]) : show(name: "guest")
  end
end

app = Rack::Builder.new do
  use Rack::Session::Pool, key: "omniauth_product"
  use OmniAuth::Builder do
    provider :openid_connect,
             discovery: true,
             issuer: issuer,
             scope: [:openid, :profile, :email],
             post_logout_redirect_uri: "#{url}/",
             client_options: { identifier: client_id, secret: client_secret, redirect_uri: "#{url}/auth/openid_connect/callback" }
  end
  run product
end.to_app

OmniAuth.config.request_validation_phase = nil # the page of this trial has no CSRF token
Rack::Handler::WEBrick.run(app, Host: "127.0.0.1", Port: port.to_i, Logger: WEBrick::Log.new($stderr, WEBrick::Log::ERROR), AccessLog: [])
